import { expect, it } from 'vitest';
import { formatDuration, readDuration } from './duration.js';

it.each([
  ['250ms', 250],
  ['2s', 2000],
  ['1.5s', 1500],
  ['5m', 300_000],
  ['1h', 3_600_000],
  [' 2 s ', 2000],
  ['0ms', 0],
  ['250', undefined],
  ['2 seconds', undefined],
  ['-2s', undefined],
  ['1e3ms', undefined],
  ['', undefined],
])('%j is %s ms', (text, expected) => {
  expect(readDuration(text)).toBe(expected);
});

it.each([0, 1, 250, 1000, 1500, 34_070, 3_600_000])('%i ms are written so that they are read back', (milliseconds) => {
  expect(readDuration(formatDuration(milliseconds))).toBe(milliseconds);
});
