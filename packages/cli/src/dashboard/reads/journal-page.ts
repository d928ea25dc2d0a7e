import type { EntryType, JournalEntry } from 'fullstop/journal';
import type { RunRecord } from '../../why/explain-run.js';
import type { JournalPage, JournalPageQuery, PagedEntry } from '../api/journal.js';
import { cappedEntry } from './capped-entry.js';

const usualLimit = 200;

/** A page of a journal, filtered here, so that a page is full also where few entries pass. */
export function journalPage(
  { journal }: Pick<RunRecord, 'journal'>,
  query: JournalPageQuery,
  mask: (text: string) => string,
): JournalPage {
  const { after = 0, limit = usualLimit, type = [], q = '' } = query;
  const types = new Set<EntryType>(type as EntryType[]);
  const text = q.toLowerCase();
  const entries: PagedEntry[] = [];
  const head = journal.at(-1)?.seq ?? 0;
  for (const entry of journal.slice(firstAfter(journal, after))) {
    if (types.size > 0 && !types.has(entry.type)) continue;
    if (text !== '' && !JSON.stringify(entry).toLowerCase().includes(text)) continue;
    if (entries.length === limit) return { entries, head, next: entries.at(-1)?.seq ?? after };
    entries.push(cappedEntry(entry, mask));
  }
  return { entries, head };
}

/** Entries are numbered without gaps from 1. */
function firstAfter(journal: readonly JournalEntry[], after: number): number {
  return Math.max(0, after - (journal[0]?.seq ?? 1) + 1);
}
