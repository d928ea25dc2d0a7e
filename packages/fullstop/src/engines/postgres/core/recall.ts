import { needsBlob, referenceTo } from '../../port/entry-bytes.js';
import { hashOf, sha256 } from '../../store/chain.js';
import type { Claim, EntryRow, Operation } from '../../store/operations.js';
import { type PayloadCodec, plainText } from '../../store/payload.js';
import type { Sql } from '../connection/sql.js';
import type { Head, Heads } from './heads.js';

/**
 * Finds out whether writes were committed although the connection broke before the server could say so. The chain tells: an entry with the
 * hash that ours would have is ours. Returns what the operation would have returned, by its place in the batch.
 */
export async function recallWritten(
  sql: Sql,
  batch: readonly Operation[],
  { heads, codec }: { readonly heads: Heads; readonly codec: PayloadCodec },
): Promise<ReadonlyMap<number, unknown>> {
  const found = new Map<number, unknown>();
  for (const [index, operation] of batch.entries()) {
    if (operation.name !== 'append' && operation.name !== 'conclude' && operation.name !== 'park') continue;
    const { claim, rows } = operation.input;
    const before = heads.get(claim.run);
    if (before === undefined) continue;
    if (codec !== plainText) {
      // A codec may make another text each time, so that nothing can be recognised: the run is replayed from what is there.
      heads.drop(claim.run);
      found.set(index, 'fenced');
      continue;
    }
    const head = rows.length === 0 ? before : lastOf(claim, rows, before);
    const isThere = await sql.row<{ state: string; epoch: number; hash: string | null }>(
      'SELECT state, epoch, (SELECT hash FROM @journal WHERE run = $1 AND seq = $2) AS hash FROM @runs WHERE id = $1',
      [claim.run, head.seq],
    );
    if (isThere === undefined || isThere.hash !== head.hash) continue;
    if (operation.name === 'append' && rows.length > 0) {
      heads.set(claim.run, head);
      found.set(index, 'written');
    } else if (operation.name === 'conclude') {
      heads.drop(claim.run);
      found.set(index, { headHash: head.hash });
    } else if (operation.name === 'park' && isThere.epoch !== claim.epoch) {
      heads.drop(claim.run);
      found.set(index, 'parked');
    }
  }
  return found;
}

function lastOf({ runId, segment }: Claim, rows: readonly EntryRow[], before: Head): Head {
  let head = before;
  for (const { scope, ordinal, at, type, key, data } of rows) {
    const stored = needsBlob(data) ? referenceTo(sha256(data)) : data;
    const entry = { segment, seq: head.seq + 1, scope, ordinal, at, type, key, data: stored };
    head = { seq: entry.seq, at, hash: hashOf(head.hash, runId, entry) };
  }
  return head;
}
