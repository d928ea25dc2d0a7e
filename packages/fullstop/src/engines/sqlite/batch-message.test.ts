import { describe, expect, it } from 'vitest';
import type { EntryRow, Operation } from '../store/operations.js';
import { packBatch, unpackBatch } from './batch-message.js';

const claim = { run: 7, runId: 'run', segment: 2, epoch: 3 };

function row(ordinal: number, key: string | null = 'work'): EntryRow {
  return { scope: 'a/b', ordinal, at: 5, type: 'step_ended', key, data: `{"n":${ordinal}}` };
}

describe('a batch on its way to the thread', () => {
  it('arrives as it was, in its order', () => {
    const batch: readonly Operation[] = [
      { name: 'append', input: { claim, rows: [row(1), row(2, null)], chained: { after: '', hashes: ['h1', 'h2'] } } },
      { name: 'dataVersion', input: undefined },
      { name: 'append', input: { claim, rows: [{ ...row(3), effect: { consumes: { type: 'cancel' } } }] } },
      { name: 'append', input: { claim, rows: [], chained: undefined } },
      { name: 'append', input: { claim: { ...claim, run: 8 }, rows: [row(4)], chained: undefined } },
    ];
    expect(unpackBatch(structuredClone(packBatch(batch)))).toEqual(batch);
  });

  it('hands over plain entries without an object for each', () => {
    const { operations, cells } = packBatch([{ name: 'append', input: { claim, rows: [row(1)] } }]);
    expect(operations).toEqual([0]);
    expect(cells.every((cell) => cell === null || typeof cell !== 'object')).toBe(true);
  });
});
