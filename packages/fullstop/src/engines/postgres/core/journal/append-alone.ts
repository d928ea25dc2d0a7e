import { needsBlob } from '../../../port/entry-bytes.js';
import { hashOf } from '../../../store/chain.js';
import type { InputOf, Operation } from '../../../store/operations.js';
import { type PayloadCodec, plainText } from '../../../store/payload.js';
import type { Sql } from '../../connection/sql.js';
import type { Head, Heads } from './heads.js';
import { columnsOf, type EntryCells, entryColumns, unnestEntries } from './journal-writer.js';

type Append = InputOf<'append'>;

/** Entries of one run that change nothing else, ready to be written. */
interface Plan {
  readonly claim: Append['claim'];
  readonly before: Head;
  readonly rows: readonly EntryCells[];
  readonly head: Head;
}

/** Entries that change nothing but journals, with everything that is needed known: one statement writes them. Undefined otherwise. */
export function planAppends(
  batch: readonly Operation[],
  heads: Heads,
  codec: PayloadCodec,
): readonly Plan[] | undefined {
  if (codec !== plainText) return undefined;
  const plans: Plan[] = [];
  for (const { name, input } of batch) {
    const plan = name === 'append' ? planOf(input, heads) : undefined;
    if (plan === undefined) return undefined;
    plans.push(plan);
  }
  const runs = new Set(plans.map(({ claim }) => claim.run));
  return runs.size === plans.length ? plans : undefined;
}

function planOf({ claim, rows, chained }: Append, heads: Heads): Plan | undefined {
  const before = heads.get(claim.run);
  if (before === undefined || rows.some(({ effect, data }) => effect !== undefined || needsBlob(data)))
    return undefined;
  const hashes = chained?.after === before.hash ? chained.hashes : undefined;
  let head = before;
  const cells = rows.map(({ scope, ordinal, at, type, key, data }, index): EntryCells => {
    const { segment } = claim;
    const entry = { segment, seq: head.seq + 1, scope, ordinal, at, type, key, data };
    head = { seq: entry.seq, at, hash: hashes?.[index] ?? hashOf(head.hash, claim.runId, entry) };
    return [claim.run, segment, entry.seq, scope, ordinal, at, type, key, data, head.hash];
  });
  return { claim, before, rows: cells, head };
}

// The row of the run stays locked until the entry is committed: nobody can take the run in between. The entry before it is asked for because a
// server that took the place of another one may have lost it, and the claim, which somebody else may have got since under the same epoch.
const appendOne = `WITH held AS (SELECT id FROM @runs WHERE id = $1 AND epoch = $11 AND owner = $12
    AND (SELECT hash FROM @journal WHERE run = $1 AND seq = $3::bigint - 1) = $13 FOR SHARE)
  INSERT INTO @journal (${entryColumns}) SELECT id, $2::bigint, $3::bigint, $4, $5::bigint, $6::bigint, $7, $8, $9, $10 FROM held`;

const appendMany = `WITH held AS (
    SELECT r.id FROM @runs r JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) AS claimed(run, epoch, seq, hash)
      ON r.id = claimed.run AND r.epoch = claimed.epoch AND r.owner = $5
    WHERE (SELECT j.hash FROM @journal j WHERE j.run = r.id AND j.seq = claimed.seq) = claimed.hash
    ORDER BY r.id FOR SHARE OF r
  ), written AS (
    INSERT INTO @journal (${entryColumns})
    SELECT entry.* FROM ${unnestEntries(6)} AS entry(${entryColumns}) JOIN held ON held.id = entry.run
  ) SELECT id FROM held`;

export interface AppendParts {
  readonly heads: Heads;
  readonly ownerId: string;
}

/** Writes entries with one statement, which is a transaction. Returns for each whether it was written, or the run is no longer as its owner knows it. */
export async function appendAlone(
  sql: Sql,
  plans: readonly Plan[],
  { heads, ownerId }: AppendParts,
): Promise<readonly ('written' | 'fenced')[]> {
  const held = await write(sql, plans, ownerId);
  return plans.map(({ claim, head }) => {
    if (!held.has(claim.run)) {
      heads.drop(claim);
      return 'fenced';
    }
    heads.move(claim.run, head);
    return 'written';
  });
}

async function write(sql: Sql, plans: readonly Plan[], ownerId: string): Promise<ReadonlySet<number>> {
  const [only] = plans;
  const [row] = only?.rows ?? [];
  if (plans.length === 1 && only?.rows.length === 1 && row !== undefined) {
    const written = await sql.run(appendOne, [...row, only.claim.epoch, ownerId, only.before.hash]);
    return new Set(written === 1 ? [only.claim.run] : []);
  }
  const held = await sql.rows<{ id: number }>(appendMany, [
    plans.map(({ claim }) => claim.run),
    plans.map(({ claim }) => claim.epoch),
    plans.map(({ before }) => before.seq),
    plans.map(({ before }) => before.hash),
    ownerId,
    ...columnsOf(plans.flatMap(({ rows }) => rows)),
  ]);
  return new Set(held.map(({ id }) => id));
}
