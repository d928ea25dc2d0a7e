import { readEntry as readEntryValue } from '../../engines/door/journal-reader.js';
import { Misfit } from '../../engines/door/reader.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';

/** The entry that a line holds, or what is wrong with it. */
export function readEntry(text: string): JournalEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `not JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  try {
    return readEntryValue(value, '');
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const { path, expected, found } = error;
    return `${path === '' ? 'the entry' : path} must be ${expected}, found ${found}`;
  }
}
