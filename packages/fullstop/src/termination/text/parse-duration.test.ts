import { describe, expect, it } from 'vitest';
import { parseDuration } from './parse-duration.js';

const units = ['ms', 's', 'm', 'h', 'd'] as const;

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['1.5s', 1500],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['0ms', 0],
    ['250', undefined],
    [' 2s', undefined],
    ['2 s', undefined],
    ['2 seconds', undefined],
    ['-2s', undefined],
    ['1e3ms', undefined],
    ['.5s', undefined],
    ['2S', undefined],
    ['', undefined],
  ])('%j is %s ms', (text, expected) => {
    expect(parseDuration(text, { units })).toBe(expected);
  });

  it('knows the units of its dialect only', () => {
    expect(parseDuration('2d', { units: ['s', 'm'] })).toBeUndefined();
    expect(parseDuration('90', { units: ['s'], bareUnit: 's' })).toBe(90_000);
  });

  it('allows blanks where a dialect does, but not without end', () => {
    expect(parseDuration(' 2 s ', { units, blanks: true })).toBe(2000);
    expect(parseDuration(`2${' '.repeat(100_000)}s`, { units, blanks: true })).toBeUndefined();
  });
});
