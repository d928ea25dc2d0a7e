import { hash } from 'node:crypto';
import { chainInput, chainStart, type EntryPlace, entryBytes } from '../port/entry-bytes.js';
import type { LastPart, StoredEntry, StoreVerification } from './operations.js';

/** An entry as the chain sees it; `data` is the text as it is stored. */
export interface ChainedRow extends EntryPlace {
  readonly data: string;
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The hash of an entry: SHA-256 over the hash before it and the entry's stored bytes. */
export function hashOf(previous: string, runId: string, row: ChainedRow): string {
  return sha256(chainInput(previous, entryBytes(runId, row, row.data)));
}

/** The hash of a row that is in no chain: of its cells and its text, so that damage shows. */
export function hashOfRow(cells: readonly (string | number | null)[], stored: string): string {
  return sha256(`${JSON.stringify(cells)}\n${stored}`);
}

/** Where a chain is broken. */
export interface Break {
  readonly seq: number;
  readonly reason: string;
}

/** The entry that the next one is chained to. */
export interface Anchor {
  readonly seq: number;
  readonly hash: string;
}

/** Follows a chain from its start, or from an entry that fits. Undefined when every entry fits the one before it. */
export function verifyChain(
  runId: string,
  rows: Iterable<ChainedRow & { readonly hash: string }>,
  from: Anchor = { seq: 0, hash: chainStart },
): Break | undefined {
  let { seq, hash: previous } = from;
  for (const row of rows) {
    seq += 1;
    if (row.seq !== seq) return { seq, reason: `entry ${seq} is missing` };
    if (hashOf(previous, runId, row) !== row.hash) return { seq, reason: `entry ${seq} does not fit its hash` };
    previous = row.hash;
  }
  return undefined;
}

/** A run of which nothing is returned because of what is wrong with it. */
export function brokenAt({ seq, reason }: Break): LastPart {
  return { verification: { status: 'broken', seq, reason }, entries: [] };
}

/** Whether a consistent journal has a head: some entry with this hash. */
export function provedBy(entries: readonly StoredEntry[], head: string | null): StoreVerification {
  if (head === null) return { status: 'consistent', entries: entries.length };
  const proved = entries.findLast(({ hash: own }) => own === head);
  if (proved === undefined)
    return { status: 'broken', seq: entries.length, reason: 'no entry has the hash that was given as head' };
  return { status: 'proved', entries: entries.length, seq: proved.seq };
}
