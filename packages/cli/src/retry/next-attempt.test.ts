import { category, isOpen, terminations } from 'fullstop';
import { describe, expect, it } from 'vitest';
import { chooseNextAttempt } from './next-attempt.js';
import { automaticPolicy, type RetryPolicy } from './retry-policy.js';

const policy: RetryPolicy = {
  retryable: { attempts: 4, backoffMs: 100, longestMs: 1000 },
  capacity: { factor: 2, ceilings: { maxIterations: 50, costUsd: 1 } },
};

const tryAfter = (termination: Parameters<typeof category>[0], attempt = 1, extra = {}) =>
  chooseNextAttempt(
    { termination: termination as never, category: category(termination), open: isOpen(termination), ...extra },
    policy,
    attempt,
  );

describe('chooseNextAttempt', () => {
  it('waits longer each time for what may work again, and gives up', () => {
    const failed = terminations.providerFailed({ attempts: 3 });
    expect([1, 2, 3, 4].map((attempt) => tryAfter(failed, attempt))).toEqual([
      { type: 'wait', ms: 100 },
      { type: 'wait', ms: 200 },
      { type: 'wait', ms: 400 },
      { type: 'stop', why: '4 attempts were made' },
    ]);
  });

  it('waits as long as the provider asks, but not longer than allowed', () => {
    const failed = terminations.providerFailed({ attempts: 3 });
    expect(tryAfter(failed, 1, { retryAfterMs: 700 })).toEqual({ type: 'wait', ms: 700 });
    expect(tryAfter(failed, 1, { retryAfterMs: 7000 })).toMatchObject({ type: 'stop' });
  });

  it('raises a limit up to its ceiling and no further', () => {
    const limit = (used: number) => terminations.maxIterations({ limit: used, used, unit: 'step' });
    expect(tryAfter(limit(10))).toEqual({ type: 'raise', changes: { maxIterations: 20 } });
    expect(tryAfter(limit(40))).toEqual({ type: 'raise', changes: { maxIterations: 50 } });
    expect(tryAfter(limit(50))).toEqual({ type: 'stop', why: 'the ceiling for max_iterations is reached' });
    expect(tryAfter(terminations.costBudget({ limitUsd: 0.3, usedUsd: 0.4 }))).toEqual({
      type: 'raise',
      changes: { costUsd: 0.8 },
    });
  });

  it('raises nothing that has no ceiling, and nothing at all by itself', () => {
    expect(tryAfter(terminations.tokenBudget({ limit: 10, used: 10 }))).toMatchObject({ type: 'stop' });
    const ending = {
      termination: terminations.maxIterations({ limit: 5, used: 5, unit: 'step' }),
      category: 'capacity',
      open: true,
    } as const;
    expect(chooseNextAttempt(ending, automaticPolicy, 1)).toMatchObject({ type: 'stop' });
  });

  it.each(['model', 'tool', 'iteration', 'stage', 'step'] as const)(
    'does not raise the time of the run for the limit of a %s',
    (scope) => {
      const timed = { ...policy, capacity: { factor: 2, ceilings: { timeoutMs: 60_000 } } };
      const decide = (termination: ReturnType<typeof terminations.timeBudget>) =>
        chooseNextAttempt({ termination, category: 'capacity', open: true }, timed, 1);
      expect(decide(terminations.timeBudget({ limitMs: 1000, elapsedMs: 1000, scope }))).toEqual({
        type: 'stop',
        why: `the time limit of a ${scope} is not the run's`,
      });
      expect(decide(terminations.timeBudget({ limitMs: 1000, elapsedMs: 1000, scope: 'run' }))).toEqual({
        type: 'raise',
        changes: { timeoutMs: 2000 },
      });
    },
  );

  it('acts on the innermost cause of a failed child', () => {
    const child = terminations.childFailed({
      child: { name: 'a', path: 'a' },
      termination: terminations.maxIterations({ limit: 4, used: 4, unit: 'step' }),
    });
    expect(tryAfter(child)).toEqual({ type: 'raise', changes: { maxIterations: 8 } });
  });

  it('never tries a fatal, a final or a paused ending again', () => {
    for (const termination of [
      terminations.terminated({ status: 'failed', reason: 'no', by: 'x' }),
      terminations.noRoute({ step: 'x', output: {} }),
      terminations.gatePending({ gates: [{ gateId: 'g', path: '', summary: 's' }] }),
      terminations.cancelled({ by: 'operator' }),
      terminations.naturalEnd(),
    ])
      expect(tryAfter(termination)).toMatchObject({ type: 'stop' });
  });
});
