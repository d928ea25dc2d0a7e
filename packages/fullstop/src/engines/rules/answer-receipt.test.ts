import { describe, expect, it } from 'vitest';
import { type AnswerFacts, refuseAnswer } from './answer-receipt.js';

const facts: AnswerFacts = { delivered: undefined, request: { state: 'open', deadline: 10 }, closed: false, now: 5 };

describe('refuseAnswer', () => {
  it('lets the first answer in time pass', () => {
    expect(refuseAnswer(facts)).toBeUndefined();
    expect(refuseAnswer({ ...facts, now: 9 })).toBeUndefined();
  });

  it('tells every later answerer who was first, even after the run has ended', () => {
    const delivered = { at: 3, by: 'maria' };
    expect(refuseAnswer({ ...facts, delivered, closed: true })).toEqual({ status: 'already', ...delivered });
    expect(refuseAnswer({ ...facts, delivered: { at: 3 }, request: undefined })).toEqual({ status: 'already', at: 3 });
  });

  it('knows the answers of an imported run from its requests', () => {
    const request = { state: 'answered', answeredAt: 4, answeredBy: 'paul' } as const;
    expect(refuseAnswer({ ...facts, request })).toEqual({ status: 'already', at: 4, by: 'paul' });
  });

  it('refuses what arrives at the deadline or after it', () => {
    expect(refuseAnswer({ ...facts, now: 10 })).toEqual({ status: 'expired', deadline: 10 });
    expect(refuseAnswer({ ...facts, request: { state: 'expired', deadline: 10 } })).toEqual({
      status: 'expired',
      deadline: 10,
    });
  });

  it('refuses an answer to what was never asked, or to a closed run', () => {
    expect(refuseAnswer({ ...facts, request: undefined })).toEqual({ status: 'unknown' });
    expect(refuseAnswer({ ...facts, request: undefined, closed: true })).toEqual({ status: 'ended' });
    expect(refuseAnswer({ ...facts, closed: true })).toEqual({ status: 'ended' });
  });
});
