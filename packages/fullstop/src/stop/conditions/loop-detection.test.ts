import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLoop, call, endingsOf, failed, firstEnding, round } from '../loop.fixture.js';
import type { LoopObservation } from '../observation.js';
import { type CallComparison, comparisons, roundKey } from '../round-key.js';
import { loopDetection } from './loop-detection.js';

const a = round(call('search', { q: 'x' }, 'nothing'));
const b = round(call('read', { page: 1 }, 'nothing'));

describe('loopDetection', () => {
  it('fires on the third round in a row with the same calls, arguments and results', () => {
    expect(endingsOf(loopDetection(), [a, a, a])).toEqual([
      undefined,
      undefined,
      { kind: 'loop_detected', cycle: [{ tool: 'search', input: { q: 'x' } }], repeats: 3 },
    ]);
  });

  it('finds cycles of several rounds and shows one turn of them', () => {
    const [ending] = endingsOf(loopDetection(), [b, a, b, a, b, a, b]).slice(-1);
    expect(ending).toEqual({
      kind: 'loop_detected',
      cycle: [
        { tool: 'search', input: { q: 'x' } },
        { tool: 'read', input: { page: 1 } },
      ],
      repeats: 3,
    });
    expect(firstEnding(loopDetection(), [a, b, a, b, a, b])).toBe(5);
    expect(firstEnding(loopDetection({ window: 1 }), [a, b, a, b, a, b, a, b])).toBe(-1);
  });

  it('sees the same arguments in another order, and the same calls in another order', () => {
    const one = round(call('search', { q: 'x', page: 1 }), call('read'));
    const other = round(call('read'), call('search', { page: 1, q: 'x' }));
    expect(firstEnding(loopDetection({ repeats: 2 }), [one, other])).toBe(1);
  });

  it('takes a poll whose result changes for progress', () => {
    const polls = ['queued', 'running', 'done'].map((state) => round(call('poll', {}, state)));
    expect(firstEnding(loopDetection(), polls)).toBe(-1);
    expect(firstEnding(loopDetection({ compare: 'arguments' }), polls)).toBe(2);
  });

  it('compares names alone when asked to', () => {
    const rounds = [round(call('search', 'x')), round(call('search', 'y'))];
    expect(firstEnding(loopDetection({ repeats: 2, compare: 'names' }), rounds)).toBe(1);
    expect(firstEnding(loopDetection({ repeats: 2, compare: 'arguments' }), rounds)).toBe(-1);
  });

  it('passes over rounds of text alone', () => {
    expect(firstEnding(loopDetection(), [a, round(), a, round(), a])).toBe(4);
  });

  it('sees a call that fails in the same way again', () => {
    expect(firstEnding(loopDetection(), [round(failed('a')), round(failed('a')), round(failed('a'))])).toBe(2);
    expect(
      firstEnding(loopDetection(), [round(failed('a', '1')), round(failed('a', '2')), round(failed('a', '3'))]),
    ).toBe(-1);
  });

  it('does not take one call for two', () => {
    const pair = round(call('a'), call('b'));
    expect(roundKey(pair.calls ?? [], 'names')).not.toBe(roundKey([call('["a","b"]')], 'arguments'));
    expect(firstEnding(loopDetection({ repeats: 2 }), [round(call('a')), pair, round(call('b'))])).toBe(-1);
  });

  it('agrees with a search through the whole history, smallest cycle first', () => {
    const settings = fc.record({
      repeats: fc.integer({ min: 2, max: 4 }),
      window: fc.integer({ min: 1, max: 5 }),
      compare: fc.constantFrom(...comparisons),
    });
    fc.assert(
      fc.property(anyLoop, settings, (loop, options) => {
        const expected = bruteForce(loop, options);
        const endings = endingsOf(loopDetection(options), loop);
        expect(endings.findIndex((ending) => ending !== undefined)).toBe(expected?.index ?? -1);
        if (expected !== undefined) expect(endings[expected.index]).toMatchObject({ cycle: expected.cycle });
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps no more rounds than the longest cycle has, and a bounded part of each', () => {
    const condition = loopDetection({ window: 4 });
    let state = condition.fold.init();
    for (let index = 0; index < 500; index += 1) {
      const calls = Array.from({ length: 200 }, (_, place) => call('search', { index, place }));
      state = condition.fold.observe!(state, round(...calls), []);
    }
    expect(JSON.stringify(state).length).toBeLessThan(10_000);
  });

  it.each([
    [{ repeats: 1 }, 'INVALID_LIMIT', 'a whole number of 2 or more'],
    [{ repeats: 0 }, 'INVALID_LIMIT', 'repeats is 0'],
    [{ window: 0 }, 'INVALID_LIMIT', 'window is 0'],
    [{ window: Number.NaN }, 'INVALID_LIMIT', 'window is NaN'],
    [{ window: 101 }, 'INVALID_OPTION', 'at most 100'],
    [{ compare: 'name' }, 'INVALID_OPTION', 'one of results, arguments, names'],
    [{ repeat: 2 }, 'INVALID_OPTION', 'did you mean "repeats"?'],
  ])('refuses %j', (options, code, message) => {
    const error = expect.objectContaining({ code, message: expect.stringContaining(message) });
    expect(() => loopDetection(options as never)).toThrow(error);
  });
});

/** Looks at the end of the history after every round, for every length of a cycle. */
function bruteForce(
  loop: readonly LoopObservation[],
  { repeats, window, compare }: { repeats: number; window: number; compare: CallComparison },
): { readonly index: number; readonly cycle: readonly object[] } | undefined {
  const history: { key: number; cycle: readonly object[] }[] = [];
  for (const [index, { calls = [] }] of loop.entries()) {
    if (calls.length === 0) continue;
    const cycle = calls.map(({ tool, input }) => ({ tool, input }));
    history.push({ key: roundKey(calls, compare), cycle });
    for (let length = 1; length <= window; length += 1) {
      const end = history.slice(-length * repeats);
      if (end.length < length * repeats) continue;
      if (end.every(({ key }, place) => key === end[place % length]?.key)) {
        return { index, cycle: end.slice(-length).flatMap((each) => each.cycle) };
      }
    }
  }
  return undefined;
}
