import type { ForkOrigin, JournalEntry } from '../../engines/port/journal-entry.js';

/**
 * The runs that a run was forked from. Ids that a body draws are made from the id of its run; those that were drawn before the fork
 * must stay what they were, since what is in the journal may hold them, and later ones must be new.
 */
export class Lineage {
  readonly #runId: string;
  /** Oldest first; each wrote the entries after those of the one before, up to its own last one. */
  readonly #origins: readonly ForkOrigin[];
  /** Of each origin, the highest ordinal of each scope among the entries up to its last one. */
  readonly #highest: readonly ReadonlyMap<string, number>[];

  constructor(runId: string, history: readonly JournalEntry[]) {
    this.#runId = runId;
    this.#origins = originsOf(history);
    this.#highest = this.#origins.map(({ at }) => highestOrdinals(history, at));
  }

  /** The id that everything random in the whole run is derived from. */
  get seed(): string {
    return this.#origins[0]?.runId ?? this.#runId;
  }

  /** The run in which a unit was before its next operation had this ordinal. */
  runAt(scope: string, ordinal: number): string {
    const index = this.#highest.findIndex((highest) => (highest.get(scope) ?? -1) >= ordinal);
    return this.#origins[index]?.runId ?? this.#runId;
  }
}

/** The origins in the first entry of a journal. */
export function originsOf([first]: readonly JournalEntry[]): readonly ForkOrigin[] {
  return (first?.type === 'run_started' ? first.data.forkedFrom : undefined) ?? [];
}

function highestOrdinals(history: readonly JournalEntry[], at: number): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  for (const { scope, ordinal, seq } of history)
    if (seq <= at && ordinal > (highest.get(scope) ?? -1)) highest.set(scope, ordinal);
  return highest;
}
