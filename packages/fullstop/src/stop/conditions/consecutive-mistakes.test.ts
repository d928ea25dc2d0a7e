import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLoop, call, endingsOf, failed, firstEnding, round } from '../loop.fixture.js';
import type { ObservedCall } from '../observation.js';
import { consecutiveMistakes } from './consecutive-mistakes.js';

describe('consecutiveMistakes', () => {
  it.each(['bad_arguments', 'unknown_tool', 'denied', 'tool_error'] as const)('counts %s', (problem) => {
    const [, ending] = endingsOf(consecutiveMistakes(2), [
      round(failed('a')),
      round(failed('b', 'no such thing', problem)),
    ]);
    const lastMistake = { tool: 'b', problem, message: 'no such thing' };
    expect(ending).toEqual({ kind: 'consecutive_mistakes', limit: 2, used: 2, lastMistake });
  });

  it('counts calls that ran in parallel too, but a round only once, because the model has not seen them yet', () => {
    const parallel = round(failed('a'), failed('b'), failed('c'));
    expect(firstEnding(consecutiveMistakes(2), [parallel])).toBe(-1);
    expect(firstEnding(consecutiveMistakes(2), [parallel, parallel])).toBe(1);
  });

  it.each([
    ['alone', round(call('b'))],
    ['before a mistake', round(call('b'), failed('a'))],
    ['after a mistake', round(failed('a'), call('b'))],
  ])('starts anew after a success %s', (_name, between) => {
    expect(firstEnding(consecutiveMistakes(2), [round(failed('a')), between, round(failed('a'))])).toBe(-1);
  });

  it('does not start anew after a round of text alone, which is no success', () => {
    expect(firstEnding(consecutiveMistakes(2), [round(failed('a')), round(), round(failed('a'))])).toBe(2);
  });

  it('passes over failures that are not the fault of the model', () => {
    const { mistake: _, ...timedOut } = failed('a', 'timed out') as ObservedCall & { mistake: string };
    expect(firstEnding(consecutiveMistakes(2), [round(failed('a')), round(timedOut), round(failed('a'))])).toBe(2);
    expect(firstEnding(consecutiveMistakes(1), [round(timedOut)])).toBe(-1);
  });

  it('agrees with a count over the whole history', () => {
    fc.assert(
      fc.property(anyLoop, fc.integer({ min: 1, max: 4 }), (loop, limit) => {
        let inARow = 0;
        const expected = loop.findIndex(({ calls = [] }) => {
          if (calls.some(({ ok }) => ok)) inARow = 0;
          else if (calls.length > 0) inARow += 1;
          return inARow >= limit;
        });
        expect(firstEnding(consecutiveMistakes(limit), loop)).toBe(expected);
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %s', (limit) => {
    expect(() => consecutiveMistakes(limit)).toThrow(expect.objectContaining({ code: 'INVALID_LIMIT' }));
  });
});
