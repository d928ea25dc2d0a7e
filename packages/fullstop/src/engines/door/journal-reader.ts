import { isStorable } from '../../termination/text/storable-text.js';
import type { EntryDraft, EntryType, JournalEntry } from '../port/journal-entry.js';
import { entryType, readEntryData } from './entry-readers.js';
import { checkEnding } from './envelope-reader.js';
import { JournalStructure } from './journal-structure.js';
import { Misfit, optional, type Reader, record } from './reader.js';
import { hash, instant, integer, json, jsonObject, label, name, whole } from './readers.js';

const entryFields: Reader<unknown> = record<Omit<JournalEntry, 'data' | 'key'> & { key?: string; data: object }>({
  runId: name,
  segment: whole,
  seq: whole,
  scope: label,
  ordinal: integer,
  at: instant,
  type: entryType,
  key: optional(label),
  data: jsonObject as Reader<object>,
  hash: optional(hash),
});

/** A copy of an entry from elsewhere, which is one. */
export function readEntry(value: unknown, path: string): JournalEntry {
  const plain = json.read(value, path) as unknown as JournalEntry;
  try {
    entryFields.read(plain, '', true);
    readEntryData(plain.type, plain.data, false);
  } catch (error) {
    throw error instanceof Misfit ? error.within(path) : error;
  }
  return plain;
}

/** A copy of a whole journal from elsewhere: every entry is one, and each fits those before it. */
export const journal: Reader<readonly JournalEntry[]> = {
  expected: 'the entries of a journal, which begins with run_started',
  read(value, path) {
    if (!Array.isArray(value)) throw new Misfit(path, value, this.expected);
    const structure = new JournalStructure();
    const entries = Array.from(value as readonly unknown[], (given, index) => {
      const place = `${path}[${index}]`;
      const entry = readEntry(given, place);
      const problem = structure.problemWith(entry);
      if (problem !== undefined) throw new Misfit(place, entry, `an entry that fits those before it: ${problem}`);
      return entry;
    });
    if (entries.length === 0) throw new Misfit(path, undefined, this.expected);
    return entries;
  },
};

/** The types that most entries have. They change nothing besides lengthening the journal, and their data is our own JSON. */
const plainTypes: ReadonlySet<EntryType> = new Set<EntryType>([
  'step_noted',
  'step_started',
  'step_ended',
  'recorded',
  'observed',
  'emitted',
  'scope_opened',
  'sleep_started',
  'sleep_ended',
  'unit_ended',
]);

/** Refuses a draft that no journal could hold. Made for speed: every entry of every run passes here. */
export function checkDraft(draft: EntryDraft): void {
  const { type, scope, ordinal, key, at, data } = draft;
  if (typeof scope !== 'string' || !isStorable(scope)) throw new Misfit('scope', scope, label.expected);
  if (key !== undefined && (typeof key !== 'string' || !isStorable(key))) throw new Misfit('key', key, label.expected);
  if (!Number.isSafeInteger(ordinal)) throw new Misfit('ordinal', ordinal, integer.expected);
  if (typeof at !== 'number' || !Number.isFinite(at)) throw new Misfit('at', at, instant.expected);
  if (typeof data !== 'object' || data === null) throw new Misfit('data', data, 'an object');
  if (type === 'segment_ended') checkEnding((data as EntryDraft<'segment_ended'>['data']).envelope, 'data.envelope');
  else if (type !== 'step_ended' && type !== 'observed' && !plainTypes.has(type)) readEntryData(type, data, true);
}
