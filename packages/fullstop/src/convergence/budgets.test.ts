import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { suggestor } from './options/suggestor.js';

/** Adds a fact in every cycle until there are so many. */
const counter = (most: number, tokens = 0) =>
  suggestor('counter', {
    accepts: ({ facts }) => facts.get('count').length < most,
    execute: ({ facts, propose, charge }) => {
      if (tokens > 0) charge({ inputTokens: tokens, costUsd: tokens / 1000 });
      propose('count', { n: facts.get('count').length });
    },
  });

describe('budgets', () => {
  it('keeps facts, root and proofs at a limit, and continues with more', async () => {
    const convergence = defineConvergence({ suggestors: [counter(5)], budgets: { cycles: 2 } });
    const first = await convergence.run();
    expect(first.termination).toEqual({ kind: 'cycle_budget', limit: 2, used: 2 });
    expect(first.facts.size).toBe(2);
    expect(first.prove(first.facts.all()[1]?.ref ?? '')?.root).toBe(first.root);
    expect(first.output).toEqual({ cycles: 2, facts: 2, root: first.root });
    await expect(first.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    await expect(first.resume({ budgets: { cycles: 2 } })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const second = await first.resume({ budgets: { cycles: 10 } });
    expect(second.termination).toEqual({ kind: 'converged', cycles: 5, facts: 5 });
    const whole = await defineConvergence({ suggestors: [counter(5)] }).run();
    expect(second.root).toBe(whole.root);
  });

  it('never holds more facts than the budget, and promotes the rest of the cycle when there is room', async () => {
    const inputs = Array.from({ length: 7 }, (_, n) => fact('x', { n }, { id: `x${n}` }));
    const convergence = defineConvergence({ suggestors: [], budgets: { facts: 3 } });
    const first = await convergence.run({ facts: inputs });
    expect(first.termination).toEqual({ kind: 'fact_budget', limit: 3, used: 3 });
    expect(first.facts.size).toBe(3);
    await expect(first.resume({ budgets: { facts: 3 } })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const second = await first.resume({ budgets: { facts: 5 } });
    expect(second.termination).toEqual({ kind: 'fact_budget', limit: 5, used: 5 });
    const third = await second.resume({ budgets: { facts: 7 } });
    expect(third.termination).toEqual({ kind: 'converged', cycles: 0, facts: 7 });
    expect(third.facts.all().map(({ id }) => id)).toEqual(inputs.map(({ id }) => id));
  });

  it('counts tokens and money of all suggestors and resumes with more', async () => {
    const convergence = defineConvergence({ suggestors: [counter(6, 40)], budgets: { tokens: 100, costUsd: 0.2 } });
    const first = await convergence.run();
    expect(first.termination).toEqual({ kind: 'token_budget', limit: 100, used: 120 });
    expect(first.usage.totalTokens).toBe(120);
    await expect(first.resume({ budgets: { tokens: 110 } })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    await expect(first.resume()).rejects.toThrow(/budgets: \{ tokens: … \} above 120/);
    const second = await first.resume({ budgets: { tokens: 10_000 } });
    await expect(second.resume()).rejects.toThrow(/budgets: \{ costUsd: … \} above 0\.2/);
    expect(second.termination).toMatchObject({ kind: 'cost_budget', limitUsd: 0.2 });
    const third = await second.resume({ budgets: { costUsd: 1 } });
    expect(third.termination).toEqual({ kind: 'converged', cycles: 6, facts: 6 });
    expect(third.usage.totalTokens).toBe(240);
  });

  it('says that what was used is a guess, in its ending and result, once a suggestor charged one', async () => {
    const guessing = (isGuess: boolean, budgets: object) =>
      defineConvergence({
        suggestors: [
          suggestor('guessing', {
            accepts: () => true,
            execute: ({ propose, charge, facts }) => {
              charge({ inputTokens: 40, costUsd: 0.1, ...(isGuess && facts.size === 0 && { estimated: true }) });
              propose('x', { n: facts.size });
            },
          }),
        ],
        budgets,
      });
    const tokensUp = await guessing(true, { tokens: 100 }).run();
    expect(tokensUp.termination).toEqual({ kind: 'token_budget', limit: 100, used: 120, estimated: true });
    expect(tokensUp.estimated).toBe(true);
    const costUp = await guessing(true, { costUsd: 0.3 }).run();
    expect(costUp.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.3, usedUsd: 0.3, estimated: true });
    const resumed = await costUp.resume({ budgets: { costUsd: 0.4 } });
    expect(resumed.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.4, usedUsd: 0.4, estimated: true });
    const counted = await guessing(false, { costUsd: 0.3 }).run();
    expect(counted.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.3, usedUsd: 0.3 });
    expect(counted).not.toHaveProperty('estimated');
  });

  it('stops a suggestor that hangs when the time is up, and asks it again with more time', async () => {
    let hangs = true;
    const sometimes = suggestor('sometimes', {
      accepts: ({ facts }) => !facts.has('x'),
      execute: async ({ propose, clock }) => {
        if (hangs) await new Promise<void>((resolve) => void clock.callAt(clock.now() + 999_999, resolve));
        propose('x', { n: 1 });
      },
    });
    const engine = memoryEngine({ clock: simulatedClock() });
    const convergence = defineConvergence({ suggestors: [sometimes], budgets: { time: '10s' } });
    const first = await convergence.run(undefined, { engine, runId: 'r' });
    expect(first.termination).toEqual({ kind: 'time_budget', limitMs: 10_000, elapsedMs: 10_000, scope: 'run' });
    hangs = false;
    await expect(first.resume()).rejects.toThrow(/budgets: \{ time: … \} above 10000/);
    const second = await convergence.resume('r', { engine, budgets: { time: '20s' } });
    expect(second.termination).toEqual({ kind: 'converged', cycles: 1, facts: 1 });
  });

  it('lets the goal win against a limit that is reached at the same point', async () => {
    const { termination, also } = await defineConvergence({
      suggestors: [counter(1, 50)],
      budgets: { cycles: 1, tokens: 50 },
    }).run();
    expect(termination).toEqual({ kind: 'converged', cycles: 1, facts: 1 });
    expect(also).toEqual([{ kind: 'token_budget', limit: 50, used: 50 }]);
  });

  it.each([{ cycles: 0 }, { facts: 0 }, { tokens: 0.5 }, { costUsd: 0 }, { time: 0 }, { cylces: 3 }])(
    'refuses %o before the start',
    (budgets) => {
      expect(() => defineConvergence({ suggestors: [], budgets })).toThrow(/budgets/);
    },
  );
});
