import { describe, expect, it } from 'vitest';
import { readEnding } from './ending-facts.js';
import { pausedEnvelope, storedEnvelope } from './envelope.fixture.js';

describe('readEnding', () => {
  it('ends the run, with everything that lists show', () => {
    expect(readEnding(storedEnvelope())).toEqual({
      kind: 'natural_end',
      category: 'success',
      outcome: 'succeeded',
      summary: 'It ended.',
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      costUsd: null,
      durationMs: 4,
      state: 'ended',
      open: false,
      endedAt: 5,
    });
  });

  it('parks the run at a pause, until the first deadline', () => {
    expect(readEnding(pausedEnvelope())).toMatchObject({ state: 'parked', open: true, wakeAt: 1000 });
  });

  it('is open after a limit, but does not wake', () => {
    const limit = storedEnvelope({ category: 'capacity', open: true });
    expect(readEnding(limit)).toMatchObject({ state: 'ended', open: true });
    expect(readEnding(limit).wakeAt).toBeUndefined();
  });
});
