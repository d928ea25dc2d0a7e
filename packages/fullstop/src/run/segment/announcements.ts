import type { EntryDraft } from '../../engines/port/journal-entry.js';

const nothing: readonly EntryDraft[] = [];

/** Entries that observers are notified of, in the order of the journal, once they are durable. */
export class Announcements {
  readonly #observers: readonly ((entry: EntryDraft) => void)[];
  #unannounced: EntryDraft[] = [];

  constructor(observers: readonly ((entry: EntryDraft) => void)[]) {
    this.#observers = observers;
  }

  add(entry: EntryDraft): void {
    if (this.#observers.length > 0) this.#unannounced.push(entry);
  }

  /** Takes what was added so far, for the commit that makes it durable; what comes after is for the next one. */
  take(): readonly EntryDraft[] {
    if (this.#unannounced.length === 0) return nothing;
    const unannounced = this.#unannounced;
    this.#unannounced = [];
    return unannounced;
  }

  /** Puts back what its commit could not keep: a later one may keep it all the same. */
  putBack(entries: readonly EntryDraft[]): void {
    this.#unannounced = [...entries, ...this.#unannounced];
  }

  /** Notifies observers of entries that are durable by now: those of a commit, or all. */
  notify(entries: readonly EntryDraft[] = this.take()): void {
    for (const entry of entries) {
      for (const observe of this.#observers) {
        try {
          observe(entry);
        } catch {
          // A listener's fault is the listener's: it must not end the run.
        }
      }
    }
  }
}
