import { expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { delegateEngine } from '../../engines/port/delegate-engine.js';
import type { SharedBudgetState } from '../../engines/port/spending.js';
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

test('a run that is spawned beside a call has what is left, although the call holds all of it for now', async () => {
  let finish = (): void => undefined;
  const spawned = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const child = defineRun({
    name: 'child',
    run: async (context) => {
      await context.step('call', ({ charge }) => charge({ inputTokens: 100, costUsd: 0 }));
      await context.step('after', finish);
      return terminations.naturalEnd();
    },
  });
  const parent = defineRun({
    name: 'parent',
    limits: { tokens: 1000 },
    run: async (context) => {
      const reserve = { outputTokens: 1000 };
      const own = context.step('own', () => spawned, { reserve });
      const { termination } = await (await context.spawn(child)).ending();
      finish();
      await own;
      return end(terminations.naturalEnd(), termination.kind);
    },
  });
  const result = await parent.run(undefined, { engine: memoryEngine() });
  expect(result.output).toBe('natural_end');
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

test('whoever waits for a store that is away can be cancelled: no step begins, and no run is spawned', async () => {
  const held: ((states: readonly SharedBudgetState[]) => void)[] = [];
  const share = (): Promise<readonly SharedBudgetState[]> => new Promise((resolve) => held.push(resolve));
  const engine = { ...delegateEngine(memoryEngine()), spending: { share } };
  const done: string[] = [];
  const family = defineRun({
    name: 'family',
    limits: { tokens: 1000 },
    run: async (context) => {
      await Promise.allSettled([
        context.spawn(spender).finally(() => done.push('spawning')),
        context.step('own', () => done.push('effect')).finally(() => done.push('step')),
      ]);
      done.push('unwound');
      return terminations.naturalEnd();
    },
  });
  const running = family.run(undefined, { engine, runId: 'family' });
  await expect.poll(() => held.length).toBe(2);
  await engine.cancel('family', { by: 'operator' });
  expect((await running).termination).toMatchObject({ kind: 'cancelled' });
  expect(done.sort()).toEqual(['spawning', 'step', 'unwound']);
  for (const answer of held) answer([]);
  // Whatever the late answers lead to comes before the end of another run.
  await defineRun({ name: 'other', run: async () => terminations.naturalEnd() }).run(undefined, { engine });
  expect((await engine.list()).runs.map(({ name }) => name).sort()).toEqual(['family', 'other']);
});
