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

/** The value that a write returns, or the rest of it that is still to be written. */
export type Recalled = { readonly value: unknown } | { readonly left: Operation };

/**
 * Finds out what of a write was committed although the connection broke before the server could say so. The chain tells: an entry with the hash
 * that ours would have is ours. The first of the entries may come from an earlier write, which was given up while the server was away. The head
 * moves with the answer, so that whoever asks must remember it: asked again, the same entries would be missing after themselves.
 */
export async function recallWritten(sql: Sql, operation: Operation, parts: RecallParts): Promise<Recalled> {
  if (operation.name !== 'append' && operation.name !== 'conclude' && operation.name !== 'park')
    return { left: operation };
  return recall(sql, operation, parts);
}

async function recall(sql: Sql, operation: Written, { heads, codec }: RecallParts): Promise<Recalled> {
  const { claim, rows }: InputOf<'append' | 'park'> = operation.input;
  const before = heads.get(claim.run);
  if (before === undefined || codec !== plainText) {
    // Nothing can be recognised without a head, or where a codec makes another text each time: the run is replayed from what is there.
    heads.drop(claim);
    return { value: 'fenced' };
  }
  const chain = chainOf(claim, rows, before);
  const stored = await sql.row<{ epoch: number; hashes: readonly string[] | null }>(
    `SELECT epoch, (SELECT array_agg(hash ORDER BY seq) FROM @journal WHERE run = $1 AND seq > $2 AND seq <= $3) AS hashes
     FROM @runs WHERE id = $1`,
    [claim.run, before.seq, before.seq + rows.length],
  );
  const isOurs = ({ hash }: Head, index: number): boolean => stored?.hashes?.[index] === hash;
  const missing = chain.findIndex((head, index) => !isOurs(head, index));
  const count = missing === -1 ? rows.length : missing;
  const head = chain[count - 1] ?? before;
  // Without an entry of its own only the change of hands shows that a run was parked.
  const isDone = count === rows.length && (operation.name !== 'park' || stored?.epoch !== claim.epoch);
  if (!isDone || operation.name === 'append') heads.move(claim.run, head);
  if (!isDone) return { left: withoutFirst(operation, count) };
  if (operation.name === 'append') return { value: 'written' };
  heads.drop(claim);
  return { value: operation.name === 'park' ? 'parked' : { headHash: head.hash } };
}

/** The head after each of the entries. */
function chainOf({ runId, segment }: Claim, rows: readonly EntryRow[], before: Head): readonly Head[] {
  let head = before;
  return rows.map(({ scope, ordinal, at, type, key, data }) => {
    const stored = needsBlob(data) ? referenceTo(sha256(data)) : data;
    const entry = { segment, seq: head.seq + 1, scope, ordinal, at, type, key, data: stored };
    head = { seq: entry.seq, at, hash: hashOf(head.hash, runId, entry) };
    return head;
  });
}

function withoutFirst(operation: Written, count: number): Operation {
  if (count === 0) return operation;
  return { ...operation, input: { ...operation.input, rows: operation.input.rows.slice(count) } } as Written;
}
