import { expect, it } from 'vitest';
import type { Operation, Outcome, StoredEntry } from '../store/operations.js';
import { packAnswer, unpackAnswer } from './answer-message.js';

function entry(seq: number, key: string | null): StoredEntry {
  return { segment: 1, seq, scope: 'a/b', ordinal: 2, at: 5, type: 'step_ended', key, data: `{"n":${seq}}`, hash: 'h' };
}

const ask: Operation = { name: 'verified', input: { runId: 'r', seen: [] } };
const batch: readonly Operation[] = [ask, { name: 'dataVersion', input: undefined }, ask, ask, ask];
const outcomes: readonly Outcome[] = [
  { ok: true, value: { entries: [entry(1, 'k'), entry(2, null)], seen: [entry(1, 'k')] } },
  { ok: true, value: '7' },
  { ok: false, failure: { code: 'STORE_LOCKED', message: 'busy' } },
  { ok: true, value: { entries: [], verification: { status: 'unknown' } } },
  { ok: true, value: { entries: [entry(3, '')], verification: { status: 'consistent', entries: 3 } } },
];

it('arrives as it was, in its order', () => {
  expect(unpackAnswer(structuredClone(packAnswer(batch, outcomes)))).toEqual(outcomes);
});

it('hands over entries without an object for each', () => {
  const { cells, outcomes: sent } = packAnswer(batch, outcomes);
  expect(cells).toHaveLength(3 + 3 * 9);
  expect(cells.every((cell) => cell === null || typeof cell !== 'object')).toBe(true);
  expect(sent[0]).toEqual({ ok: true, value: { seen: [entry(1, 'k')] } });
});
