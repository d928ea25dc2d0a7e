import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { sameJson } from '../../engines/port/same-json.js';
import type { JsonValue } from '../../termination/json.js';

/**
 * The journal without the endings of units that ended only because their run did: its machine had ended by then and
 * has seen none of them, and a resume continues them where they stopped.
 */
export function withoutCutUnits(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  const endings = new Map<number, JsonValue>();
  for (const entry of journal) {
    if (entry.type === 'segment_ended')
      endings.set(entry.segment, entry.data.envelope.termination as unknown as JsonValue);
  }
  return journal.filter((entry) => {
    if (entry.type !== 'unit_ended' || entry.data.termination.kind !== 'cancelled') return true;
    // The machine has seen it: it was stopped before the run ended.
    if (entry.data.stopped === true) return true;
    const { cause } = entry.data.termination as unknown as { readonly cause?: JsonValue };
    return cause === undefined || !sameJson(cause, endings.get(entry.segment));
  });
}
