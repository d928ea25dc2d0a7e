import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextDelay, type RetryPolicy } from './retry.js';

const error = { name: 'Error', message: 'no' };

describe('a retry policy', () => {
  test('has no further attempt without a policy or after the last one', () => {
    expect(nextDelay(undefined, { error, attempt: 1 }, 0.5)).toBeUndefined();
    expect(nextDelay({ attempts: 3 }, { error, attempt: 3 }, 0.5)).toBeUndefined();
    expect(nextDelay({ attempts: 3 }, { error, attempt: 2 }, 1)).toBe(200);
  });

  test('waits longer each time, by half of it chance, up to the most', () => {
    const policy: RetryPolicy = { attempts: 100, initialDelayMs: 10, factor: 3, maximumDelayMs: 1000 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const full = Math.min(1000, 10 * 3 ** (attempt - 1));
        const delay = nextDelay(policy, { error, attempt }, random) as number;
        expect(delay).toBeGreaterThanOrEqual(full / 2);
        expect(delay).toBeLessThanOrEqual(full);
      }),
    );
  });

  test('does what the error asks for, but never waits a negative time', () => {
    const asks = (milliseconds: number): RetryPolicy => ({ attempts: 2, delayOf: () => milliseconds });
    expect(nextDelay(asks(5000), { error, attempt: 1 }, 0)).toBe(5000);
    expect(nextDelay(asks(-1), { error, attempt: 1 }, 0)).toBe(0);
    expect(nextDelay(asks(Number.NaN), { error, attempt: 1 }, 1)).toBe(100);
    expect(nextDelay({ attempts: 2, delayOf: () => undefined }, { error, attempt: 1 }, 1)).toBe(100);
  });

  test('gives up on errors that are not worth it, and when it cannot judge them', () => {
    expect(nextDelay({ attempts: 2, retryIf: () => false }, { error, attempt: 1 }, 0)).toBeUndefined();
    const broken = (): never => {
      throw new Error('broken policy');
    };
    expect(nextDelay({ attempts: 2, retryIf: broken }, { error, attempt: 1 }, 0)).toBeUndefined();
    expect(nextDelay({ attempts: 2, delayOf: broken }, { error, attempt: 1 }, 0)).toBeUndefined();
  });
});
