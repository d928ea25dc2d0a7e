import { expect, test } from 'vitest';
import type { CancelRequest, JournalEntry } from '../../packages/fullstop/src/engines/port/journal-entry.js';
import type { LogLine } from './effect-log.js';
import { checkCancels, checkEffects } from './verify.js';

const stored = new Map([['place', 'second']]);
const executed = (by: string, entries: number): LogLine => ({
  type: 'executed',
  runId: 'run',
  version: '1',
  by,
  entries,
});
const effect = (id: string, by?: string): LogLine => ({
  type: 'effect',
  place: 'place',
  id,
  ...(by !== undefined && { by }),
});

test('the outcome in the journal is that of the last execution', () => {
  expect(checkEffects([effect('first'), effect('second')], stored)).toBeUndefined();
});

test.each([
  ['by nobody knows whom', [effect('second'), effect('third')]],
  ['by the same owner', [executed('a', 1), effect('second', 'a'), effect('third', 'a')]],
  ['by one who has read it', [executed('a', 1), effect('second', 'a'), executed('b', 2), effect('third', 'b')]],
])('what is in the journal is not performed again %s', (_, lines) => {
  expect(() => checkEffects(lines, stored)).toThrow('place was performed again as third');
});

test('whoever had the run before and lost it may perform again what the next one has done', () => {
  const lines = [executed('a', 1), executed('b', 1), effect('second', 'b'), effect('third', 'a')];
  expect(checkEffects(lines, stored)).toBeUndefined();
});

test('an outcome that nobody performed is none', () => {
  expect(() => checkEffects([effect('first')], stored)).toThrow('nobody performed second');
});

const journalWith = (data: CancelRequest): ReadonlyMap<string, readonly JournalEntry[]> => {
  const entry = { type: 'cancel_requested', data, segment: 1, scope: '', ordinal: 1, at: 0, seq: 1 };
  return new Map([['run', [entry as JournalEntry]]]);
};

test('a cancel that was asked for, and that of a parent, are lawful', () => {
  expect(checkCancels([{ type: 'cancelling', runId: 'run' }], journalWith({ by: 'operator' }))).toBeUndefined();
  expect(checkCancels([], journalWith({ by: 'parent', hard: true }))).toBeUndefined();
});

test.each([
  ['a cancel that nobody asked for', [], { by: 'operator' }, 'run was cancelled by operator, and nobody had asked'],
  ['one of another run', [{ type: 'cancelling', runId: 'other' }], { by: 'operator' }, 'nobody had asked'],
  ['one that leaves undo out', [{ type: 'cancelling', runId: 'run' }], { by: 'operator', hard: true }, 'without undo'],
] as const)('%s is a violation', (_, lines, data, message) => {
  expect(() => checkCancels(lines, journalWith(data))).toThrow(message);
});

test('an ending as cancelled without a wish is a violation too', () => {
  const termination = { kind: 'cancelled', by: 'operator' };
  const entry = { type: 'segment_ended', data: { envelope: { termination } }, segment: 1, seq: 2 };
  const journals = new Map([['run', [entry as unknown as JournalEntry]]]);
  expect(() => checkCancels([], journals)).toThrow('run was cancelled by operator');
});
