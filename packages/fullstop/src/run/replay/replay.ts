import type { EntryType, JournalEntry } from '../../engines/port/journal-entry.js';

/** The entries of one operation: they share scope and ordinal. */
export interface Slot {
  readonly key: string | undefined;
  readonly entries: readonly JournalEntry[];
}

/** Finds the entries of earlier executions by scope and ordinal; holes are normal, since parallel steps end in any order. */
export class Replay {
  readonly #slots = new Map<string, Map<number, { key: string | undefined; entries: JournalEntry[] }>>();
  readonly #highest = new Map<string, number>();
  /** The highest ordinal of all scopes: after it there is nothing to look for. */
  #farthest = -1;

  constructor(history: readonly JournalEntry[]) {
    for (const entry of history) this.add(entry);
  }

  add(entry: JournalEntry): void {
    let scope = this.#slots.get(entry.scope);
    if (scope === undefined) {
      scope = new Map();
      this.#slots.set(entry.scope, scope);
    }
    const slot = scope.get(entry.ordinal);
    if (slot === undefined) scope.set(entry.ordinal, { key: entry.key, entries: [entry] });
    else slot.entries.push(entry);
    if (entry.ordinal > this.#farthest) this.#farthest = entry.ordinal;
    if (entry.ordinal > (this.#highest.get(entry.scope) ?? -1)) this.#highest.set(entry.scope, entry.ordinal);
  }

  slot(scope: string, ordinal: number): Slot | undefined {
    return ordinal > this.#farthest ? undefined : this.#slots.get(scope)?.get(ordinal);
  }

  /** The first ordinal of a scope that no entry has used. */
  nextOrdinal(scope: string): number {
    return (this.#highest.get(scope) ?? -1) + 1;
  }

  /** How often each unit was visited from a scope before an ordinal. */
  visitsOf(scope: string, before: number): ReadonlyMap<string, number> {
    const visits = new Map<string, number>();
    for (const [ordinal, slot] of this.#slots.get(scope) ?? []) {
      if (ordinal >= before || slot.key === undefined || slot.entries[0]?.type !== 'scope_opened') continue;
      visits.set(slot.key, (visits.get(slot.key) ?? 0) + 1);
    }
    return visits;
  }

  /** True when a scope has entries of its own. */
  hasEntries(scope: string): boolean {
    return this.#slots.has(scope);
  }
}

/** The last entry of a type in a slot. */
export function lastOf<TType extends EntryType>(slot: Slot | undefined, type: TType): JournalEntry<TType> | undefined {
  return slot?.entries.findLast((entry) => entry.type === type) as JournalEntry<TType> | undefined;
}

/** The outcome of a step; one that a cancellation stopped has none. */
export function lastStepOf(slot: Slot | undefined): JournalEntry<'step_ended'> | undefined {
  const found = slot?.entries.findLast(
    (entry) => entry.type === 'step_ended' && (entry.data.ok || entry.data.stopped !== true),
  );
  return found as JournalEntry<'step_ended'> | undefined;
}
