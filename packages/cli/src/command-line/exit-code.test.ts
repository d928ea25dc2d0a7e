import { category, outcome, terminations } from 'fullstop';
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from './exit-code.js';

const codeOf = (termination: Parameters<typeof category>[0]) =>
  exitCodeOf({ termination: termination as never, category: category(termination), outcome: outcome(termination) });

describe('exitCodeOf', () => {
  it.each([
    ['a success', terminations.naturalEnd(), 0],
    ['a skipped run', terminations.skipped({ reason: 'nothing to do' }), 0],
    ['an explicit success', terminations.terminated({ status: 'success', reason: 'done', by: 'x' }), 0],
    ['an explicit failure', terminations.terminated({ status: 'failed', reason: 'no', by: 'x' }), 1],
    ['a limit', terminations.maxIterations({ limit: 3, used: 3, unit: 'iteration' }), 3],
    ['a provider that fails', terminations.providerFailed({ attempts: 3 }), 4],
    ['an open gate', terminations.gatePending({ gates: [{ gateId: 'g', path: '', summary: 's' }] }), 5],
    ['a cancel by the operator', terminations.cancelled({ by: 'operator' }), 6],
    ['a cancel by the caller', terminations.cancelled({ by: 'caller' }), 6],
    ['SIGHUP', terminations.cancelled({ by: 'signal', reason: 'SIGHUP' }), 129],
    ['SIGINT', terminations.cancelled({ by: 'signal', reason: 'SIGINT' }), 130],
    ['SIGTERM', terminations.cancelled({ by: 'signal', reason: 'SIGTERM' }), 143],
  ])('of %s', (_, termination, code) => {
    expect(codeOf(termination)).toBe(code);
  });

  it('goes by what the envelope says about a kind that nobody here knows', () => {
    const termination = { kind: 'app.overloaded', load: 9 } as never;
    expect(exitCodeOf({ termination, category: 'capacity', outcome: 'failed' })).toBe(3);
    expect(exitCodeOf({ termination, category: 'capacity', outcome: 'succeeded' })).toBe(0);
  });
});
