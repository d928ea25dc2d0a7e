import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLoop, call, endingsOf, failed, firstEnding, observation, round } from '../loop.fixture.js';
import { consecutiveErrors } from './consecutive-errors.js';

describe('consecutiveErrors', () => {
  it('counts rounds in which every call failed', () => {
    const rounds = [round(failed('a')), round(failed('a'), failed('b', 'down'))];
    expect(endingsOf(consecutiveErrors(2), rounds)).toEqual([
      undefined,
      { kind: 'consecutive_errors', limit: 2, used: 2, lastError: { name: 'Error', message: 'down' } },
    ]);
  });

  it.each([
    ['a round with a success', round(failed('a'), call('b'))],
    ['a round of text alone', round()],
  ])('starts anew after %s', (_name, between) => {
    expect(firstEnding(consecutiveErrors(2), [round(failed('a')), between, round(failed('a'))])).toBe(-1);
  });

  it.each(['NOT_MADE', 'SKIPPED'])('does not count calls that were not made (%s)', (code) => {
    const unmade = failed('b');
    if (unmade.ok) throw new Error('it has failed');
    const notMade = { ...unmade, error: { ...unmade.error, message: 'not made', code } };
    const rounds = [round(failed('a', 'down')), round(failed('a', 'down'), notMade)];
    expect(endingsOf(consecutiveErrors(2), rounds)[1]).toMatchObject({ used: 2, lastError: { message: 'down' } });
    expect(firstEnding(consecutiveErrors(2), [round(failed('a')), round(notMade), round(failed('a'))])).toBe(2);
    expect(firstEnding(consecutiveErrors(2), [round(failed('a')), round(notMade)])).toBe(-1);
    expect(firstEnding(consecutiveErrors(1), [round(call('a'), notMade)])).toBe(-1);
  });

  it('passes over points that finish no round', () => {
    const between = observation({ point: 'after_iteration' });
    expect(firstEnding(consecutiveErrors(2), [round(failed('a')), between, round(failed('a'))])).toBe(2);
  });

  it('counts errors that are not the fault of the model too', () => {
    const { mistake: _, ...timedOut } = failed('a', 'timed out') as ReturnType<typeof failed> & { mistake: string };
    expect(firstEnding(consecutiveErrors(1), [round(timedOut)])).toBe(0);
  });

  it('agrees with a count over the whole history', () => {
    fc.assert(
      fc.property(anyLoop, fc.integer({ min: 1, max: 4 }), (loop, limit) => {
        let inARow = 0;
        const expected = loop.findIndex(({ calls }) => {
          if (calls !== undefined) inARow = calls.length > 0 && calls.every(({ ok }) => !ok) ? inARow + 1 : 0;
          return inARow >= limit;
        });
        expect(firstEnding(consecutiveErrors(limit), loop)).toBe(expected);
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %s', (limit) => {
    expect(() => consecutiveErrors(limit)).toThrow(expect.objectContaining({ code: 'INVALID_LIMIT' }));
  });
});
