import { describe, expect, test } from 'vitest';
import type { EntryType, JournalEntry } from '../../engines/port/journal-entry.js';
import { terminations } from '../../termination/terminations.js';
import { lastOf, Replay } from './replay.js';
import { UnitPast } from './unit-past.js';

let seq = 0;

function entry(type: EntryType, scope: string, ordinal: number, more: object = {}): JournalEntry {
  seq += 1;
  return { runId: 'r', segment: 1, seq, scope, ordinal, type, at: seq, data: {}, ...more } as unknown as JournalEntry;
}

const opened = (attempt: number, next?: number): JournalEntry =>
  entry('scope_opened', '', 0, { key: 'unit', data: { name: 'unit', attempt, next } });
const ended = (termination: object, segment = 1): JournalEntry =>
  entry('unit_ended', '', 0, { segment, key: 'unit', data: { termination } });

describe('Replay', () => {
  test('finds entries by scope and ordinal, with holes between them', () => {
    const replay = new Replay([
      entry('step_ended', '', 4, { key: 'late' }),
      entry('step_started', 'a', 0, { key: 'x' }),
      entry('step_ended', 'a', 0, { key: 'x' }),
    ]);
    expect(replay.slot('', 4)?.key).toBe('late');
    expect(replay.slot('', 0)).toBeUndefined();
    expect(replay.slot('a', 0)?.entries.map(({ type }) => type)).toEqual(['step_started', 'step_ended']);
    expect(lastOf(replay.slot('a', 0), 'step_ended')?.seq).toBe(3);
    expect([replay.nextOrdinal(''), replay.nextOrdinal('a'), replay.nextOrdinal('b')]).toEqual([5, 1, 0]);
  });

  test('counts the visits to units before an ordinal', () => {
    const visit = (ordinal: number, name: string): JournalEntry => entry('scope_opened', '', ordinal, { key: name });
    const replay = new Replay([
      visit(0, 'a'),
      visit(1, 'b'),
      entry('step_ended', '', 2, { key: 'a' }),
      visit(3, 'a'),
      visit(5, 'a'),
    ]);
    expect(Object.fromEntries(replay.visitsOf('', 5))).toEqual({ a: 2, b: 1 });
  });
});

describe('UnitPast', () => {
  const failed = terminations.failed({ error: { name: 'E', message: 'm' }, origin: 'body', errorClass: 'unknown' });
  const terminated = terminations.terminated({ status: 'failed', reason: 'r', by: 'b' });
  const past = (...entries: JournalEntry[]): UnitPast =>
    new UnitPast(entries.length === 0 ? undefined : { key: 'unit', entries }, 'unit');

  test('is empty for a unit that nobody has opened', () => {
    const { opened: first, ended: last, attempts, scopeOfNext } = past();
    expect([first, last, attempts, scopeOfNext]).toEqual([undefined, undefined, 0, 'unit']);
  });

  test('has an ending only while the last attempt has one', () => {
    const first = ended(failed);
    expect(past(opened(1), first).ended).toBe(first);
    const again = past(opened(1), ended(failed), opened(2, 7));
    expect([again.ended, again.attempts, again.next, again.endingBefore]).toEqual([undefined, 2, 7, failed]);
  });

  test('continues in the same scope, unless an attempt ended for good', () => {
    expect(past(opened(1), ended(failed)).scopeOfNext).toBe('unit');
    expect(past(opened(1), ended(terminated)).scopeOfNext).toBe('unit~2');
    expect(past(opened(1), ended(terminated), opened(2)).scopeOfNext).toBe('unit~2');
    expect(past(opened(1), ended(terminated), opened(2), ended(failed), opened(3)).scopeOfNext).toBe('unit~2');
    expect(past(opened(1), ended(failed), opened(2), ended(terminated)).scopeOfNext).toBe('unit~3');
  });
});
