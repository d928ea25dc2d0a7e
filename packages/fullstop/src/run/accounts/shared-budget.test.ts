import { expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { end } from '../ending/body-result.js';

/** Spends 100 tokens in each step, for ever. */
const spender = defineRun({
  name: 'spender',
  run: async (context) => {
    for (let call = 0; ; call += 1)
      await context.step(`call ${call}`, async ({ charge }) => {
        await Promise.resolve();
        charge({ inputTokens: 100, costUsd: 0.01 });
      });
  },
});

test.each([
  [{ tokens: 1000 }, 'token_budget'],
  [{ costUsd: 0.1 }, 'cost_budget'],
])('runs that were spawned side by side share the budget %j of the run above them', async (limits, kind) => {
  const parent = defineRun({
    name: 'parent',
    limits,
    run: async (context) => {
      const runs = await Promise.all([1, 2, 3, 4].map((n) => context.spawn(spender, n)));
      const endings = await Promise.all(runs.map((run) => run.ending()));
      return end(
        terminations.naturalEnd(),
        endings.map(({ termination }) => termination.kind),
      );
    },
  });
  const result = await parent.run(undefined, { engine: memoryEngine() });
  expect(result.output).toEqual([kind, kind, kind, kind]);
  // Ten calls fit; besides them there may be those that were under way when the tenth was booked.
  expect(result.usage.totalTokens).toBeGreaterThanOrEqual(1000);
  expect(result.usage.totalTokens).toBeLessThanOrEqual(1300);
});

test('budgets reach through several runs, and the run that spawned counts too', async () => {
  const middle = defineRun({
    name: 'middle',
    run: async (context) => {
      const ending = await (await context.spawn(spender)).ending();
      return end(terminations.naturalEnd(), ending.termination.kind);
    },
  });
  const outer = defineRun({
    name: 'outer',
    limits: { tokens: 500 },
    run: async (context) => {
      const inner = await context.spawn(middle);
      await context.step('own', ({ charge }) => charge({ inputTokens: 300, costUsd: 0 }));
      const ending = await inner.ending();
      return end(terminations.naturalEnd(), ending.output);
    },
  });
  const result = await outer.run(undefined, { engine: memoryEngine() });
  expect(result.output).toBe('token_budget');
  expect(result.usage.totalTokens).toBeLessThanOrEqual(900);
});
