import type { RunnableDefinition } from '../../packages/fullstop/src/engines/port/engine.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import type { SpawnedRun } from '../../packages/fullstop/src/run/run-context.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';

// Runs that spawn others and share a budget with them, for a test and for workers in processes of their own.

export const tokensOfCall = 100;
export const budget = 1000;
export const spenders = 2;

/** A run with a budget, and the runs that it spawns, each of which alone would use all of it. */
export function spendingRuns(call: () => Promise<void>): readonly RunnableDefinition[] {
  const spender = defineRun({
    name: 'spender',
    run: async (context) => {
      for (let count = 0; count < (2 * budget) / tokensOfCall; count += 1)
        await context.step('call', async ({ charge }) => {
          await call();
          charge({ inputTokens: tokensOfCall - 1, outputTokens: 1 });
        });
      return terminations.naturalEnd();
    },
  });
  const family = defineRun({
    name: 'family',
    limits: { tokens: budget },
    run: async (context) => {
      const spawned: SpawnedRun[] = [];
      for (let count = 0; count < spenders; count += 1)
        spawned.push(await context.spawn(spender, undefined, { spawn: 'queue' }));
      for (const each of spawned) await each.ending();
      return terminations.naturalEnd();
    },
  });
  return [family, spender];
}
