import type { EntryDraft, JournalEntry } from '../../engines/port/journal-entry.js';

/** The key of the entry that says how much active time had passed when a run was resumed. */
export const resumedKey = 'taken_up';

/** From this instant on time counts as active again. */
interface Anchor {
  readonly at: number;
  readonly activeMs: number;
}

/**
 * How much active time a run had at any instant, from its entries: between two of them time counts, but for what an entry
 * at the end of a pause, of a wait for a person or of a time without an owner takes away.
 */
export class ActiveTimeline {
  readonly #anchors: Anchor[] = [];

  constructor(entries: readonly JournalEntry[] = []) {
    for (const entry of entries) this.add(entry);
  }

  /** Takes in the next entry of the journal. */
  add(entry: EntryDraft): void {
    const { at } = entry;
    if (this.#anchors.length === 0) this.anchor(at, 0);
    if (entry.type === 'segment_ended') this.anchor(at, entry.data.envelope.durationMs);
    else if (entry.type === 'segment_opened') this.anchor(at, this.#anchors.at(-1)?.activeMs ?? 0);
    else if (entry.type === 'observed' && entry.key === resumedKey) this.anchor(at, Number(entry.data['activeMs']));
  }

  anchor(at: number, activeMs: number): void {
    this.#anchors.push({ at, activeMs });
  }

  /** The active time at an instant, which must not be later than the last entry. */
  at(instant: number): number {
    const next = this.#anchors.findLastIndex((anchor) => anchor.at <= instant) + 1;
    const { at, activeMs } = this.#anchors[next - 1] ?? { at: instant, activeMs: 0 };
    return Math.min(activeMs + instant - at, this.#anchors[next]?.activeMs ?? Number.POSITIVE_INFINITY);
  }

  /** How long nobody worked on the run before an instant. */
  idleBefore(instant: number): number {
    const first = this.#anchors[0];
    if (first === undefined || this.#anchors.length === 1) return 0;
    return Math.max(0, instant - first.at - this.at(instant));
  }
}

/** Some entries are dated at an instant before they were written, so the last one is not always the latest. */
export function latestOf(history: readonly JournalEntry[]): number {
  return history.reduce((latest, entry) => Math.max(latest, entry.at), 0);
}

/** The active time at the last of some entries, the first ones of a journal. */
export function activeAt(history: readonly JournalEntry[]): number {
  return new ActiveTimeline(history).at(latestOf(history));
}

/** The active time that a run had at any instant up to its last entry: waits for people and times without an owner left out. */
export function activeTimes(journal: readonly JournalEntry[]): (instant: number) => number {
  const timeline = new ActiveTimeline(journal);
  return (instant) => timeline.at(instant);
}
