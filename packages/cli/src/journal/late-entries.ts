import type { StoredEntry } from 'fullstop/engines/sqlite';
import type { JournalEntry } from 'fullstop/journal';

/**
 * Makes entries that parse their data when it is asked for. A page of a long run looks at every entry, and needs the data of few; to parse all of it takes
 * longer than to read it. Such an entry is copied by its fields, never by spreading, which would leave the data behind.
 */
export function lateEntries(runId: string): (stored: StoredEntry) => JournalEntry {
  const texts = new Map<string, string>();
  // Equal words become one text each: they are compared again and again.
  const oneOf = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  return (stored) => new LateEntry(runId, stored, oneOf(stored.scope), oneOf(stored.type)) as unknown as JournalEntry;
}

/**
 * The entry that was asked last. Most are looked at once, one after the other, and whatever outlives that makes work for the collector: so an entry keeps its
 * data only when somebody comes back to it.
 */
let latest: { readonly entry: LateEntry | undefined; readonly data: unknown } = { entry: undefined, data: undefined };

class LateEntry {
  readonly runId: string;
  readonly segment: number;
  readonly seq: number;
  readonly scope: string;
  readonly ordinal: number;
  readonly at: number;
  readonly type: string;
  readonly hash: string;
  declare readonly key?: string;
  readonly #text: string;
  #isKnown = false;
  #data: unknown;

  constructor(runId: string, stored: StoredEntry, scope: string, type: string) {
    this.runId = runId;
    this.segment = stored.segment;
    this.seq = stored.seq;
    this.scope = scope;
    this.ordinal = stored.ordinal;
    this.at = stored.at;
    this.type = type;
    this.hash = stored.hash;
    if (stored.key !== null) this.key = stored.key;
    this.#text = stored.data;
  }

  get data(): unknown {
    if (latest.entry === this) return latest.data;
    if (this.#data !== undefined) return this.#data;
    const data: unknown = JSON.parse(this.#text);
    if (this.#isKnown) this.#data = data;
    this.#isKnown = true;
    latest = { entry: this, data };
    return data;
  }

  toJSON(): object {
    return { ...this, data: this.data };
  }
}
