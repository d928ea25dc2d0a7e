import { expect, test } from 'vitest';
import { nextLookMs, waitForTurn } from './provider-turn.js';

const idle = { pauseMs: 0, active: 0, recent: 0, oldestMs: 0 };

test.each([
  ['nothing is limited', {}, { ...idle, active: 99, recent: 99 }, 0],
  ['there is room', { concurrency: 2, perMinute: 5 }, { ...idle, active: 1, recent: 4 }, 0],
  ['the provider asked for a pause', { concurrency: 2 }, { ...idle, pauseMs: 1234 }, 1234],
  ['as many calls are under way as may be', { concurrency: 2 }, { ...idle, active: 2 }, nextLookMs],
  ['the minute is full', { perMinute: 5 }, { ...idle, recent: 5, oldestMs: 59_000 }, 1000],
  ['the minute is just over', { perMinute: 5 }, { ...idle, recent: 5, oldestMs: 60_000 }, 1],
])('a call waits as long as it has to when %s', (_, limit, calls, wait) => {
  expect(waitForTurn(limit, calls)).toBe(wait);
});
