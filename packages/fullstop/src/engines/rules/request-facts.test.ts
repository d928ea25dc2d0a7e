import { describe, expect, it } from 'vitest';
import { changeRequest, type RequestFacts } from './request-facts.js';

const open: RequestFacts = { state: 'open', deadline: 5 };

describe('changeRequest', () => {
  it('follows a request from its opening to its answer', () => {
    expect(changeRequest(undefined, { id: 'q', to: 'open', deadline: 5 })).toEqual(open);
    expect(changeRequest(open, { id: 'q', to: 'answered', at: 3, by: 'maria' })).toEqual({
      state: 'answered',
      deadline: 5,
      answeredAt: 3,
      answeredBy: 'maria',
    });
  });

  it('keeps the deadline of one that expired', () => {
    expect(changeRequest(open, { id: 'q', to: 'expired' })).toEqual({ state: 'expired', deadline: 5 });
  });

  it('forgets one that was withdrawn, and begins anew when it is asked again', () => {
    expect(changeRequest(open, { id: 'q', to: 'withdrawn' })).toBeUndefined();
    const answered = changeRequest(open, { id: 'q', to: 'answered', at: 3 });
    expect(changeRequest(answered, { id: 'q', to: 'open' })).toEqual({ state: 'open', deadline: undefined });
  });

  it('knows nothing of a request that was never opened', () => {
    expect(changeRequest(undefined, { id: 'q', to: 'answered', at: 3 })).toBeUndefined();
    expect(changeRequest(undefined, { id: 'q', to: 'expired' })).toBeUndefined();
  });
});
