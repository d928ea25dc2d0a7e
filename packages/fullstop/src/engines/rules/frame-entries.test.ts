import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../port/journal-entry.js';
import { draftOpening, draftStart, readStart } from './frame-entries.js';

const request = { runId: 'run', name: 'n', version: '1', input: 5, parent: { runId: 'p', scope: 's' } };

describe('draftStart and readStart', () => {
  it('are each other’s inverse', () => {
    const entry = { ...draftStart(request, 7), runId: 'run', segment: 1, seq: 1 } as JournalEntry;
    expect(readStart([entry])).toEqual({ ...request, startedAt: 7 });
  });

  it('refuse a journal without a beginning', () => {
    expect(() => readStart([])).toThrow('begins with run_started');
  });
});

describe('draftOpening', () => {
  it('never goes back in time', () => {
    const opening = { from: 1, because: 'answer', by: 'maria', now: 5 } as const;
    expect(draftOpening({ ...opening, lastAt: 9 })).toMatchObject({
      at: 9,
      data: { from: 1, because: 'answer', by: 'maria' },
    });
    expect(draftOpening({ ...opening, lastAt: 3 }).at).toBe(5);
  });
});
