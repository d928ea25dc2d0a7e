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
  return { claim, rows: cells, head };
}

// The row of the run stays locked until the entry is committed: nobody can take the run in between.
const appendOne = `WITH held AS (SELECT id FROM @runs WHERE id = $1 AND epoch = $11 FOR SHARE)
  INSERT INTO @journal (${entryColumns}) SELECT id, $2::bigint, $3::bigint, $4, $5::bigint, $6::bigint, $7, $8, $9, $10 FROM held`;

const appendMany = `WITH held AS (
    SELECT r.id FROM @runs r JOIN unnest($1::bigint[], $2::bigint[]) AS claimed(run, epoch) ON r.id = claimed.run AND r.epoch = claimed.epoch
    ORDER BY r.id FOR SHARE OF r
  ), written AS (
    INSERT INTO @journal (${entryColumns})
    SELECT entry.* FROM ${unnestEntries(3)} AS entry(${entryColumns}) JOIN held ON held.id = entry.run
  ) SELECT id FROM held`;

/** Writes entries with one statement, which is a transaction. Returns for each whether it was written, or the run belongs to another owner. */
export async function appendAlone(
  sql: Sql,
  plans: readonly Plan[],
  heads: Heads,
): Promise<readonly ('written' | 'fenced')[]> {
  const held = await write(sql, plans);
  return plans.map(({ claim, head }) => {
    if (!held.has(claim.run)) {
      heads.drop(claim);
      return 'fenced';
    }
    heads.move(claim.run, head);
    return 'written';
  });
}

async function write(sql: Sql, plans: readonly Plan[]): Promise<ReadonlySet<number>> {
  const [only] = plans;
  const [row] = only?.rows ?? [];
  if (plans.length === 1 && only?.rows.length === 1 && row !== undefined) {
    const written = await sql.run(appendOne, [...row, only.claim.epoch]);
    return new Set(written === 1 ? [only.claim.run] : []);
  }
  const held = await sql.rows<{ id: number }>(appendMany, [
    plans.map(({ claim }) => claim.run),
    plans.map(({ claim }) => claim.epoch),
    ...columnsOf(plans.flatMap(({ rows }) => rows)),
  ]);
  return new Set(held.map(({ id }) => id));
}
