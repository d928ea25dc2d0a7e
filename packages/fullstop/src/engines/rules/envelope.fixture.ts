import type { StoredEnvelope } from '../port/envelope.js';

/** An ending as the journal keeps it. */
export function storedEnvelope(changes: Partial<StoredEnvelope> = {}): StoredEnvelope {
  return {
    schemaVersion: 1,
    runId: 'run',
    segment: 1,
    name: 'n',
    termination: { kind: 'natural_end' },
    also: [],
    outcome: 'succeeded',
    category: 'success',
    family: 'completion',
    open: false,
    tag: 'natural_end',
    summary: 'It ended.',
    nextAction: 'None.',
    resumable: { how: 'no' },
    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    costUsd: null,
    durationMs: 4,
    endedAt: 5,
    ...changes,
  };
}

/** A pause that waits for two gates, the first of which has until one second after 1970 began. */
export function pausedEnvelope(): StoredEnvelope {
  const gate = { path: '', summary: 'Continue?' };
  return storedEnvelope({
    termination: {
      kind: 'gate_pending',
      gates: [
        { ...gate, gateId: 'a', deadline: '1970-01-01T00:00:01.000Z' },
        { ...gate, gateId: 'b', deadline: '1970-01-01T00:00:02.000Z' },
      ],
    },
    category: 'paused',
    open: true,
  });
}
