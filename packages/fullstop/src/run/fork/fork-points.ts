import type { EntryType, JournalEntry } from '../../engines/port/journal-entry.js';
import { spawnEndingKey } from '../journal/operation-key.js';

/** An entry after which a run can continue as another one, or why it cannot. */
export type ForkPoint =
  | { readonly seq: number; readonly possible: true }
  | { readonly seq: number; readonly possible: false; readonly reason: string };

/** Entries that say that something begins which only a later entry finishes. */
const beginnings: ReadonlySet<EntryType> = new Set(['step_started', 'step_noted', 'cancel_requested', 'batch_stopped']);

/**
 * Says of each entry whether a run can be forked there: where the body is at rest as far as the journal tells, so that a resume continues
 * after it and repeats nothing of which the outcome is not known.
 */
export function forkPoints(entries: readonly JournalEntry[]): readonly ForkPoint[] {
  const state = new OpenWork();
  return entries.map((entry) => {
    const { seq } = entry;
    state.take(entry);
    const reason = state.reasonAgainst(entry);
    return reason === undefined ? { seq, possible: true } : { seq, possible: false, reason };
  });
}

/** The work that has begun and is not finished at an entry. */
class OpenWork {
  /** Once-steps whose outcome is not known. */
  readonly #once = new Set<string>();
  /** Spawned runs whose ending is not in the journal. */
  readonly #spawned = new Map<string, string>();
  #isStopping = false;

  take(entry: JournalEntry): void {
    const place = `${entry.scope}\n${entry.ordinal}`;
    switch (entry.type) {
      case 'step_started':
        this.#once.add(place);
        break;
      case 'step_ended':
        this.#once.delete(place);
        this.#spawned.delete(entry.key ?? '');
        break;
      case 'child_spawned':
        this.#spawned.set(spawnEndingKey(entry.data.runId), entry.data.runId);
        break;
      case 'cancel_requested':
        this.#isStopping = true;
        break;
      case 'segment_opened':
        this.#isStopping = false;
        break;
      default:
        break;
    }
  }

  reasonAgainst(entry: JournalEntry): string | undefined {
    const [spawned] = this.#spawned.values();
    if (spawned !== undefined) return `the run ${spawned}, which it spawned, had not ended`;
    if (entry.type === 'segment_ended')
      return entry.data.envelope.open ? undefined : 'its ending is final, and nothing can follow it';
    if (this.#isStopping) return 'it was being cancelled';
    if (this.#once.size > 0) return 'a step that may happen only once was under way';
    return beginnings.has(entry.type) ? 'something had begun that only a later entry finishes' : undefined;
  }
}
