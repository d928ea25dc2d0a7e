import { describe, expect, it } from 'vitest';
import { expireRequest, hasPassed } from './expiry.js';

describe('hasPassed', () => {
  it.each([
    [10, 9, false],
    [10, 10, true],
    [undefined, 10, false],
  ])('compares a deadline of %s with %s', (deadline, at, passed) => {
    expect(hasPassed(deadline, at)).toBe(passed);
  });
});

describe('expireRequest', () => {
  const request = { state: 'open', deadline: 10 } as const;

  it.each([
    ['an answer before the deadline', { request, answeredAt: 9 }, 'answered'],
    ['an answer at the deadline', { request, answeredAt: 10 }, 'expired'],
    ['no answer', { request, answeredAt: undefined }, 'expired'],
    ['a request that was withdrawn', { request: undefined, answeredAt: 9 }, 'expired'],
  ] as const)('decides for %s', (_, facts, decision) => {
    expect(expireRequest(facts)).toBe(decision);
  });
});
