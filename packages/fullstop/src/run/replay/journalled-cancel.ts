import type { JournalEntry } from '../../engines/port/journal-entry.js';

/** The cancellation that is in the journal of a segment: its owner died while it was being carried out. */
export function journalledCancel(journal: {
  readonly history: readonly JournalEntry[];
  readonly segment: number;
}): JournalEntry<'cancel_requested'> | undefined {
  const isOurs = ({ type, segment }: JournalEntry): boolean =>
    type === 'cancel_requested' && segment === journal.segment;
  return journal.history.findLast(isOurs) as JournalEntry<'cancel_requested'> | undefined;
}
