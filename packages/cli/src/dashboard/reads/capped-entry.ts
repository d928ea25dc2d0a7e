import type { JournalEntry } from 'fullstop/journal';
import type { PagedEntry } from '../api/journal.js';

/** Data longer than this is sent in part; the entry alone has all of it. */
const mostCharacters = 20_000;
const headCharacters = 4_000;

/** An entry for a list. What is cut off is hidden first: half of a secret is not recognised any more. */
export function cappedEntry(entry: JournalEntry, mask: (text: string) => string): PagedEntry {
  const { data, ...rest } = entry;
  const text = JSON.stringify(data ?? null);
  if (text.length <= mostCharacters) return entry;
  const cut = { bytes: new TextEncoder().encode(text).length, head: mask(text).slice(0, headCharacters) };
  return { ...rest, cut };
}
