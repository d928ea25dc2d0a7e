import { describe, expect, test } from 'vitest';
import { terminations } from '../termination/terminations.js';
import { defineRun } from './define-run.js';
import { checkLimits, mergeLimits, type RunLimits } from './limits.js';

describe('limits', () => {
  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null])(
    'refuse %s, which could mean two things',
    (value) => {
      expect(() => checkLimits({ steps: value } as unknown as RunLimits, 'The run')).toThrow(
        /The run: the limit steps is .*a whole number above 0/,
      );
    },
  );

  test('of time and cost may have a fraction, but must have an end', () => {
    const limits = { timeMs: 0.5, costUsd: 0.001 };
    expect(checkLimits(limits, 'The run')).toBe(limits);
    expect(() => checkLimits({ timeMs: Number.POSITIVE_INFINITY }, 'The run')).toThrow(
      'The run: the limit timeMs is Infinity; it must be a number above 0. Leave it out for no limit.',
    );
  });

  test('refuse a name that is none', () => {
    expect(() => checkLimits({ step: 5 } as RunLimits, 'The run')).toThrow('has no limit named step; there are steps');
  });

  test('are refused before a run starts, and in a unit as its failure', async () => {
    const run = async (): Promise<ReturnType<typeof terminations.naturalEnd>> => terminations.naturalEnd();
    expect(() => defineRun({ name: 'zero', limits: { tokens: 0 }, run })).toThrow('the limit tokens is 0');
    const outer = defineRun({
      name: 'outer',
      run: async (context) => {
        await context.child('inner', run, { limits: { steps: 0 } });
        return terminations.naturalEnd();
      },
    });
    const { termination } = await outer.run(undefined);
    expect(termination).toMatchObject({
      kind: 'failed',
      error: { code: 'INVALID_LIMIT', message: expect.stringContaining('"inner"') },
    });
  });

  test('are replaced by name, and removed by null', () => {
    const old = { steps: 5, tokens: 100 };
    expect(mergeLimits(old, { steps: 9, timeMs: 1000 })).toEqual({ steps: 9, tokens: 100, timeMs: 1000 });
    expect(mergeLimits(old, { tokens: null })).toEqual({ steps: 5 });
    expect(mergeLimits(old, {})).toEqual(old);
  });
});
