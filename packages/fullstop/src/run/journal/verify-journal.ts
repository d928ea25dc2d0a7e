import { chainInput, chainStart, entryBytes, needsBlob, referenceTo } from '../../engines/port/entry-bytes.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { sha256 } from './web-crypto.js';

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
  const structure = new Structure();
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

/** Checks that hold for every journal, with or without hashes. */
class Structure {
  count = 0;
  #runId = '';
  #segment = 1;
  #ended: { readonly open: boolean } | undefined;
  readonly #requests = new Set<string>();

  problemWith(entry: JournalEntry): string | undefined {
    this.count += 1;
    if (entry.seq !== this.count) return `expected entry ${this.count}, found ${entry.seq}`;
    const first = entry.type === 'run_started';
    if (this.count === 1) this.#runId = entry.runId;
    if (first !== (this.count === 1))
      return first ? 'the run starts a second time' : 'a journal begins with run_started';
    if (entry.runId !== this.#runId) return `it belongs to the run ${entry.runId}, not to ${this.#runId}`;
    return this.#segmentProblem(entry) ?? this.#requestProblem(entry);
  }

  #segmentProblem(entry: JournalEntry): string | undefined {
    if (this.#ended !== undefined) return this.#openingProblem(entry, this.#ended.open);
    if (entry.type === 'segment_opened') return `segment ${this.#segment} has no ending, but another is opened`;
    if (entry.segment !== this.#segment)
      return `expected an entry of segment ${this.#segment}, found one of segment ${entry.segment}`;
    if (entry.type !== 'segment_ended') return undefined;
    const { envelope } = entry.data;
    if (envelope.segment !== entry.segment || envelope.runId !== entry.runId)
      return 'its envelope is that of another segment or run';
    this.#ended = { open: envelope.open };
    return undefined;
  }

  /** After an ending there may be nothing but the opening of the next segment, and that only if the ending is open. */
  #openingProblem(entry: JournalEntry, open: boolean): string | undefined {
    if (!open) return `segment ${this.#segment} has a final ending, but something follows it`;
    if (entry.type !== 'segment_opened')
      return `something follows the ending of segment ${this.#segment}, and no new segment was opened`;
    if (entry.segment !== this.#segment + 1) return `segment ${entry.segment} follows segment ${this.#segment}`;
    if (entry.data.from !== this.#segment)
      return `it goes on from segment ${entry.data.from} instead of ${this.#segment}`;
    this.#segment = entry.segment;
    this.#ended = undefined;
    return undefined;
  }

  #requestProblem(entry: JournalEntry): string | undefined {
    if (entry.type === 'request_opened') this.#requests.add(entry.data.request.id);
    if (entry.type === 'request_expired' && !this.#requests.has(entry.data.requestId))
      return neverOpened(entry.data.requestId, 'expires');
    if (entry.type === 'request_withdrawn')
      return this.#requests.delete(entry.data.requestId)
        ? undefined
        : neverOpened(entry.data.requestId, 'is withdrawn');
    if (entry.type !== 'request_answered') return undefined;
    const { requestId } = entry.data.answer;
    return this.#requests.delete(requestId) ? undefined : neverOpened(requestId, 'is answered');
  }
}

function neverOpened(requestId: string, what: string): string {
  return `the request ${JSON.stringify(requestId)} ${what}, but it is not open`;
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
