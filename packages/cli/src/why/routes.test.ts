import type { JsonObject } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';
import { describe, expect, it } from 'vitest';
import { unitTree } from '../journal/unit-tree.js';
import { routesTo } from './routes.js';

function words(observed: readonly JsonObject[]): readonly string[] {
  const journal = observed.map(
    (data, index) =>
      ({ type: 'observed', scope: '', ordinal: index, seq: index + 1, at: 0, data }) as unknown as JournalEntry,
  );
  const end = { kind: 'terminated', status: 'failed', by: 'stop', reason: 'x' } as const;
  return routesTo(end, unitTree(journal), journal);
}

describe('routesTo', () => {
  it('names the values that a route was decided by', () => {
    expect(
      words([{ type: 'route', from: 'fetch', to: 'stop', route: 1, when: 'age > 90', values: { age: 112 } }]),
    ).toEqual(['age = 112 and route 2 of fetch is `age > 90`']);
  });

  it('says what failed where an error led there', () => {
    expect(
      words([
        { type: 'step_failed', step: 'fetch', error: { name: 'ExecutionError', message: 'no such program' } },
        { type: 'error_route', from: 'fetch', to: 'stop', route: 0 },
      ]),
    ).toEqual(['fetch failed: no such program', 'error route 1 of fetch was taken']);
  });

  it('says who chose what at a gate, with the note', () => {
    const answer = { requestId: 'review', decision: 'value', value: 'reject', by: 'maria', reason: 'too old' };
    const journal = [
      { type: 'request_answered', scope: 'review', ordinal: 0, seq: 1, at: 0, data: { answer } },
      { type: 'observed', scope: '', ordinal: 1, seq: 2, at: 0, data: { type: 'route', from: 'review', to: 'stop' } },
    ] as unknown as JournalEntry[];
    const end = { kind: 'terminated', status: 'failed', by: 'stop', reason: 'x' } as const;
    expect(routesTo(end, unitTree(journal), journal)).toEqual(['maria chose reject at review: too old']);
  });

  it('says nothing of routes that led elsewhere', () => {
    expect(words([{ type: 'route', from: 'fetch', to: 'other', route: 0 }])).toEqual([]);
  });
});
