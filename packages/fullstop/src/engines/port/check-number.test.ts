import { describe, expect, it } from 'vitest';
import { instant, timerMilliseconds, wholeNumber } from './check-number.js';

const never = [-1, Number.NaN, Number.POSITIVE_INFINITY, '5', null, undefined];

describe('numbers in options', () => {
  it.each([
    ['a count', [0, 0.5, ...never], (value: unknown) => wholeNumber(value, 'it'), 'a whole number above 0'],
    ['a time', [0, 3e9, ...never], (value: unknown) => timerMilliseconds(value, 'it'), 'from 1 to 2147483647'],
    ['a time that may be none', never, (value: unknown) => timerMilliseconds(value, 'it', 0), 'from 0 to 2147483647'],
    ['an instant', never.slice(1), (value: unknown) => instant(value, 'it'), 'an instant in milliseconds'],
  ])('%s is none of %j', (_, values, check, expected) => {
    for (const value of values) expect(() => check(value)).toThrow(expected);
  });

  it('are given back as they are', () => {
    expect([
      wholeNumber(1, 'it'),
      timerMilliseconds(0, 'it', 0),
      timerMilliseconds(1.5, 'it'),
      instant(-1, 'it'),
    ]).toEqual([1, 0, 1.5, -1]);
  });
});
