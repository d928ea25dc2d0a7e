import { JournalStructure } from '../../engines/door/journal-structure.js';
import { chainInput, chainStart, entryBytes, needsBlob, referenceTo } from '../../engines/port/entry-bytes.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { sha256 } from './web-crypto.js';

/** Options of `verifyJournal`: the hash that the journal should end with, and the function that hashes. */
export interface VerifyJournalOptions {
  /** The head hash from an envelope that was kept elsewhere: with it the journal is proved up to that ending. */
  readonly head?: string;
  /** Turns text into the hash that the journal uses; SHA-256 in hexadecimal digits unless given. */
  readonly hash?: (text: string) => string | Promise<string>;
}

/** The result of verifying a journal. */
export type JournalVerdict =
  /** Nothing contradicts anything; without a head nobody can say that it is the journal it was. */
  | { readonly verdict: 'consistent'; readonly entries: number; readonly head?: string }
  /** The entries up to `upTo` are those that led to the head. */
  | { readonly verdict: 'proved'; readonly entries: number; readonly head: string; readonly upTo: number }
  | { readonly verdict: 'broken'; readonly seq: number; readonly reason: string };

/** Follows a journal from its first entry on. Never throws for a journal that is wrong: it says where and why. */
export async function verifyJournal(
  entries: Iterable<JournalEntry> | AsyncIterable<JournalEntry>,
  options: VerifyJournalOptions = {},
): Promise<JournalVerdict> {
  const structure = new JournalStructure();
  const chain = new Chain(options.hash ?? sha256);
  let upTo: number | undefined;
  for await (const entry of entries) {
    const seq = structure.count + 1;
    const reason = structure.problemWith(entry) ?? (await chain.problemWith(entry));
    if (reason !== undefined) return { verdict: 'broken', seq, reason };
    if (options.head !== undefined && entry.hash === options.head) upTo = seq;
  }
  const { count } = structure;
  if (count === 0) return { verdict: 'broken', seq: 1, reason: 'the journal has no entries' };
  const { head } = chain;
  if (options.head === undefined) return { verdict: 'consistent', entries: count, ...(head !== undefined && { head }) };
  if (head === undefined)
    return { verdict: 'broken', seq: count, reason: 'the journal has no hashes, so no head can prove it' };
  if (upTo === undefined)
    return {
      verdict: 'broken',
      seq: count,
      reason: `no entry has the hash ${options.head}: the journal is cut short or was changed`,
    };
  return { verdict: 'proved', entries: count, head, upTo };
}

/** Each hash covers the entry and the hash before it. A journal has hashes on all entries or on none. */
class Chain {
  head: string | undefined;
  #count = 0;
  readonly #hash: (text: string) => string | Promise<string>;

  constructor(hash: (text: string) => string | Promise<string>) {
    this.#hash = hash;
  }

  async problemWith(entry: JournalEntry): Promise<string | undefined> {
    this.#count += 1;
    if (this.#count > 1 && (entry.hash === undefined) !== (this.head === undefined))
      return 'some entries have a hash and some have none';
    if (entry.hash === undefined) return undefined;
    const text = JSON.stringify(entry.data);
    const stored = needsBlob(text) ? referenceTo(await this.#hash(text)) : text;
    const expected = await this.#hash(chainInput(this.head ?? chainStart, entryBytes(entry.runId, entry, stored)));
    this.head = entry.hash;
    return expected === entry.hash ? undefined : 'it does not fit its hash: it, or an entry before it, was changed';
  }
}
