import { describe, expect, it } from 'vitest';
import type { EntryData, EntryDraft, EntryType } from '../port/journal-entry.js';
import { readEffect } from './entry-effect.js';
import { pausedEnvelope, storedEnvelope } from './envelope.fixture.js';

function draft<TType extends EntryType>(type: TType, data: EntryData[TType]): EntryDraft {
  return { type, scope: '', ordinal: 0, at: 1, data } as EntryDraft;
}

const answered = { requestId: 'q', decision: 'approve', at: 3, by: 'maria' } as const;
const consumesAnswer = { type: 'answer', requestId: 'q' };

describe('readEffect', () => {
  it('is nothing for a step', () => {
    expect(readEffect(draft('step_ended', { ok: true, attempts: 1 }))).toBeUndefined();
  });

  it('opens, answers and withdraws requests', () => {
    const request = { id: 'q', type: 'input', path: '', openedAt: 1, deadline: 9 } as const;
    expect(readEffect(draft('request_opened', { request }))).toEqual({ request: { id: 'q', to: 'open', deadline: 9 } });
    expect(readEffect(draft('request_answered', { answer: answered }))).toEqual({
      request: { id: 'q', to: 'answered', at: 3, by: 'maria' },
      consumes: consumesAnswer,
    });
    expect(readEffect(draft('request_withdrawn', { requestId: 'q' }))).toEqual({
      request: { id: 'q', to: 'withdrawn' },
    });
  });

  it('expires a request, by the deadline’s answer as well', () => {
    const expired = { request: { id: 'q', to: 'expired' }, consumes: consumesAnswer };
    expect(readEffect(draft('request_expired', { requestId: 'q', deadline: 9, onExpiry: 'end' }))).toEqual(expired);
    expect(readEffect(draft('request_answered', { answer: { ...answered, expired: true } }))).toEqual(expired);
  });

  it('consumes wishes to cancel when one is taken, and with every ending but a pause', () => {
    expect(readEffect(draft('cancel_requested', { by: 'caller' }))).toEqual({ consumes: { type: 'cancel' } });
    expect(readEffect(draft('segment_ended', { envelope: storedEnvelope() }))).toMatchObject({
      segment: { to: 'ended', ending: { state: 'ended' } },
      consumes: { type: 'cancel' },
    });
    expect(readEffect(draft('segment_ended', { envelope: pausedEnvelope() }))).not.toHaveProperty('consumes');
  });

  it('opens a segment', () => {
    expect(readEffect(draft('segment_opened', { from: 1, because: 'resume', by: 'maria' }))).toEqual({
      segment: { to: 'opened', by: 'maria' },
    });
  });
});
