import type { InputOf, OutputOf } from '../../store/operations.js';
import { type Context, findRun } from './context.js';

/** Removes everything about a run except a tombstone which says that there was one. */
export async function erase(context: Context, { runId, now, by }: InputOf<'erase'>): Promise<OutputOf<'erase'>> {
  const run = await findRun(context, runId);
  if (run === undefined) return 'unknown';
  if (run.state === 'running') return 'running';
  const last = await context.sql.row<{ seq: number; hash: string }>(
    'SELECT seq, hash FROM @journal WHERE run = $1 ORDER BY seq DESC LIMIT 1',
    [run.id],
  );
  context.sql.later(
    `INSERT INTO @tombstones (run_id, erased_at, entries, head, erased_by) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (run_id) DO UPDATE SET erased_at = excluded.erased_at, entries = excluded.entries, head = excluded.head, erased_by = excluded.erased_by`,
    [runId, now, last?.seq ?? 0, last?.hash ?? null, by],
  );
  await remove(context, [run.id]);
  return 'erased';
}

async function remove({ sql, locked, writer }: Context, runs: readonly number[]): Promise<void> {
  await writer.write();
  const blobs = await sql.rows<{ hash: string }>(
    'DELETE FROM @blob_uses WHERE run = ANY($1::bigint[]) RETURNING hash',
    [runs],
  );
  for (const table of ['outbox', 'inbox', 'requests', 'endings', 'journal'])
    sql.later(`DELETE FROM @${table} WHERE run = ANY($1::bigint[])`, [runs]);
  if (blobs.length > 0)
    sql.later(
      'DELETE FROM @blobs b WHERE hash = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM @blob_uses u WHERE u.hash = b.hash)',
      [blobs.map(({ hash }) => hash)],
    );
  sql.later('DELETE FROM @runs WHERE id = ANY($1::bigint[])', [runs]);
  sql.later('UPDATE @removed SET tx = pg_current_xact_id()::text::bigint', []);
  locked.clear();
}

/** Removes runs that ended long ago. Those that may still be resumed stay unless they are asked for, those that wait always do. */
export async function prune(
  context: Context,
  { endedBefore, keep, includeOpen, limit }: InputOf<'prune'>,
): Promise<OutputOf<'prune'>> {
  await context.writer.write();
  const ended = `state = 'ended' AND ended_at IS NOT NULL ${includeOpen ? '' : 'AND closed = 1'}`;
  const rows = await context.sql.rows<{ id: number; runId: string }>(
    `SELECT id, run_id AS "runId" FROM @runs AS runs WHERE ${ended} AND ended_at < $1 AND id NOT IN (SELECT id FROM @runs WHERE ${ended} ORDER BY ended_at DESC, id DESC LIMIT $2)
     AND NOT EXISTS (SELECT 1 FROM @outbox o WHERE o.run = runs.id) ORDER BY ended_at LIMIT $3 FOR UPDATE SKIP LOCKED`,
    [endedBefore, keep, limit],
  );
  if (rows.length > 0)
    await remove(
      context,
      rows.map(({ id }) => id),
    );
  return rows.map(({ runId }) => runId);
}
