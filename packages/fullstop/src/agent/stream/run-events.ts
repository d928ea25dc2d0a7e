import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { type JournalSource, journalPages } from './journal-pages.js';

/** Options of following the journal of a run: the entry after which to begin. */
export interface RunEventOptions {
  /** Entries after this sequence number; from the first one on unless given. */
  readonly after?: number;
}

/** The journal of a run as it grows, entry by entry. */
export async function* runEvents(
  source: JournalSource,
  { after = 0 }: RunEventOptions = {},
): AsyncGenerator<JournalEntry, undefined, undefined> {
  for await (const entries of journalPages(source, after)) yield* entries;
  return undefined;
}
