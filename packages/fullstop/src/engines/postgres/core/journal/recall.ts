import { needsBlob, referenceTo } from '../../../port/entry-bytes.js';
import { hashOf, sha256 } from '../../../store/chain.js';
import type { Claim, EntryRow, InputOf, Operation } from '../../../store/operations.js';
import { type PayloadCodec, plainText } from '../../../store/payload.js';
import type { Sql } from '../../connection/sql.js';
import type { Head, Heads } from './heads.js';

interface RecallParts {
  readonly heads: Heads;
  readonly codec: PayloadCodec;
}

/** The operations that write entries of a run under a claim. */
type Written = Extract<Operation, { readonly name: 'append' | 'conclude' | 'park' }>;

/**
 * Finds out whether a write was committed although the connection broke before the server could say so. The chain tells: an entry with the
 * hash that ours would have is ours. Returns what the operation would have returned; undefined where nothing is known of it. The head moves
 * with the answer, so that whoever asks must remember it: asked again, the same entries would be missing after themselves.
 */
export async function recallWritten(sql: Sql, operation: Operation, parts: RecallParts): Promise<unknown> {
  if (operation.name !== 'append' && operation.name !== 'conclude' && operation.name !== 'park') return undefined;
  return recall(sql, operation, parts);
}

async function recall(sql: Sql, operation: Written, { heads, codec }: RecallParts): Promise<unknown> {
  const { claim, rows }: InputOf<'append' | 'park'> = operation.input;
  const before = heads.get(claim.run);
  if (before === undefined) return undefined;
  if (codec !== plainText) {
    // A codec may make another text each time, so that nothing can be recognised: the run is replayed from what is there.
    heads.drop(claim.run);
    return 'fenced';
  }
  const head = lastOf(claim, rows, before);
  const stored = await sql.row<{ epoch: number; hash: string | null }>(
    'SELECT epoch, (SELECT hash FROM @journal WHERE run = $1 AND seq = $2) AS hash FROM @runs WHERE id = $1',
    [claim.run, head.seq],
  );
  if (stored === undefined || stored.hash !== head.hash) return undefined;
  if (operation.name === 'append') {
    heads.set(claim.run, head);
    return 'written';
  }
  // Without entries of its own only the change of hands shows that a run was parked.
  if (operation.name === 'park' && stored.epoch === claim.epoch) return undefined;
  heads.drop(claim.run);
  return operation.name === 'park' ? 'parked' : { headHash: head.hash };
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
