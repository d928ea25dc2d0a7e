import { needsBlob } from '../port/entry-bytes.js';
import { type Anchor, hashOf } from './chain.js';
import type { ChainedRows, Claim, EntryRow } from './operations.js';

/**
 * Works out the hashes of a session's entries before they go to the store, whose thread has more to do than the event
 * loop. What it does not know, or what turns out otherwise, the store works out by itself.
 */
export class ChainAhead {
  readonly #claim: Claim;
  /** The last entry, while it is known. */
  #head: Anchor | undefined;

  constructor(claim: Claim, head: Anchor | undefined) {
    this.#claim = claim;
    // Not the entry itself, which would be kept for long.
    this.#head = head && { seq: head.seq, hash: head.hash };
  }

  /** The hashes of entries that are about to be appended, if the one before them is known. */
  add(rows: readonly EntryRow[]): ChainedRows | undefined {
    if (this.#head === undefined) return undefined;
    const { runId, segment } = this.#claim;
    const after = this.#head.hash;
    let { hash, seq } = this.#head;
    const hashes: string[] = [];
    for (const { scope, ordinal, at, type, key, data } of rows) {
      // The chain holds the hash of a long value, which the store makes with the blob.
      if (needsBlob(data)) return this.lose();
      seq += 1;
      hash = hashOf(hash, runId, { segment, seq, scope, ordinal, at, type, key, data });
      hashes.push(hash);
    }
    this.#head = { seq, hash };
    return { after, hashes };
  }

  /** From now on nobody here knows where the chain ends. */
  lose(): undefined {
    this.#head = undefined;
  }
}
