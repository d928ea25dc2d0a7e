import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endingsOf, firstEnding, observation } from '../loop.fixture.js';
import type { LoopObservation } from '../observation.js';
import { stallDetection } from './stall-detection.js';

function iterations(...tokens: readonly number[]): readonly LoopObservation[] {
  return tokens.map((iterationTokens) => observation({ point: 'after_iteration', iterationTokens }));
}

describe('stallDetection', () => {
  it('fires on the third iteration in a row with about the same tokens', () => {
    expect(endingsOf(stallDetection(), iterations(500, 1_000, 1_100, 1_000))).toEqual([
      undefined,
      undefined,
      undefined,
      { kind: 'stall_detected', consecutive: 3, tolerance: 0.1, tokens: [1_000, 1_100, 1_000] },
    ]);
  });

  it('never fires on 1200 and 1600 in turn', () => {
    expect(firstEnding(stallDetection(), iterations(1_200, 1_600, 1_200, 1_600, 1_200, 1_600))).toBe(-1);
  });

  it('compares each iteration with the one before, so a slow drift is a stall', () => {
    expect(firstEnding(stallDetection(), iterations(1_000, 1_090, 1_180))).toBe(2);
  });

  it('takes a provider that reports no tokens for silent, not for stalled', () => {
    expect(firstEnding(stallDetection(), iterations(0, 0, 0, 0))).toBe(-1);
    expect(firstEnding(stallDetection(), [observation(), observation(), observation()])).toBe(-1);
  });

  it('agrees with a walk back over all iterations', () => {
    const tokens = fc.array(fc.constantFrom(0, 90, 100, 105, 110, 200), { maxLength: 20 });
    const settings = fc.record({
      consecutive: fc.integer({ min: 2, max: 5 }),
      tolerance: fc.constantFrom(0, 0.05, 0.1, 0.5),
    });
    fc.assert(
      fc.property(tokens, settings, (list, options) => {
        const expected = list.findIndex((_, index) => isStalled(list.slice(0, index + 1), options));
        expect(firstEnding(stallDetection(options), iterations(...list))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    [{ consecutive: 1 }, 'INVALID_LIMIT'],
    [{ consecutive: Number.NaN }, 'INVALID_LIMIT'],
    [{ consecutive: 1_001 }, 'INVALID_OPTION'],
    [{ tolerance: 1 }, 'INVALID_OPTION'],
    [{ tolerance: -0.1 }, 'INVALID_OPTION'],
    [{ tolerance: Number.NaN }, 'INVALID_OPTION'],
  ])('refuses %j', (options, code) => {
    expect(() => stallDetection(options)).toThrow(expect.objectContaining({ code }));
  });

  it('allows a tolerance of 0, which asks for exactly the same', () => {
    expect(firstEnding(stallDetection({ consecutive: 2, tolerance: 0 }), iterations(100, 101, 101))).toBe(2);
  });
});

function isStalled(tokens: readonly number[], options: { consecutive: number; tolerance: number }): boolean {
  let count = 0;
  for (let index = tokens.length - 1; index > 0; index -= 1) {
    const older = tokens[index - 1] as number;
    if (older === 0 || Math.abs((tokens[index] as number) - older) / older > options.tolerance) break;
    count += 1;
  }
  return count >= options.consecutive - 1;
}
