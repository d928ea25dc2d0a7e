import { existsSync, rmSync } from 'node:fs';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import type { InputOf, OutputOf } from '../../store/operations.js';
import { type Context, findRun } from './context.js';
import { makePrivateFile } from './file/private-file.js';
import { integer, text } from './rows/columns.js';

const hashColumn = { hash: text('hash') };
const lastColumns = { ...hashColumn, seq: integer('seq') };

/** Removes everything about a run except a tombstone which says that there was one. */
export function erase(context: Context, { runId, now, by }: InputOf<'erase'>): OutputOf<'erase'> {
  const run = findRun(context, runId);
  if (run === undefined) return 'unknown';
  if (run.state === 'running') return 'running';
  const last = context.connection
    .select(lastColumns, 'FROM journal WHERE run = ? ORDER BY seq DESC LIMIT 1')
    .get(run.id);
  context.connection
    .sql('INSERT OR REPLACE INTO tombstones (run_id, erased_at, entries, head, erased_by) VALUES (?, ?, ?, ?, ?)')
    .run(runId, now, last?.seq ?? 0, last?.hash ?? null, by);
  remove(context, run.id);
  return 'erased';
}

function remove({ connection, epochs }: Context, run: number): void {
  const blobs = connection.select(hashColumn, 'FROM blob_uses WHERE run = ?').all(run);
  for (const table of ['blob_uses', 'outbox', 'inbox', 'requests', 'endings', 'journal'])
    connection.sql(`DELETE FROM ${table} WHERE run = ?`).run(run);
  for (const { hash } of blobs) {
    connection
      .sql('DELETE FROM blobs WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM blob_uses WHERE hash = ?)')
      .run(hash, hash);
  }
  connection.sql('DELETE FROM runs WHERE id = ?').run(run);
  epochs.forget(run);
}

/** Removes runs that ended long ago. Those that may still be resumed stay unless they are asked for, those that wait always do. */
export function prune(
  context: Context,
  { endedBefore, keep, includeOpen, limit }: InputOf<'prune'>,
): OutputOf<'prune'> {
  const ended = `state = 'ended' AND ended_at IS NOT NULL ${includeOpen ? '' : 'AND closed = 1'}`;
  const rows = context.connection
    .sql<{ id: number; runId: string }>(
      `SELECT id, run_id AS runId FROM runs WHERE ${ended} AND ended_at < ? AND id NOT IN (SELECT id FROM runs WHERE ${ended} ORDER BY ended_at DESC, id DESC LIMIT ?)
       AND NOT EXISTS (SELECT 1 FROM outbox WHERE run = runs.id) ORDER BY ended_at LIMIT ?`,
    )
    .all(endedBefore, keep, limit);
  for (const { id } of rows) remove(context, id);
  return rows.map(({ runId }) => runId);
}

/** Writes a copy of the file as it is now, while runs continue. */
export function backup({ connection }: Context, { file }: InputOf<'backup'>): undefined {
  if (existsSync(file))
    throw new FullstopError(
      'INVALID_OPTION',
      `The backup cannot be written to ${file}: there is a file already. Name one that does not exist yet.`,
    );
  makePrivateFile(file);
  try {
    connection.exec(`VACUUM INTO '${file.replaceAll("'", "''")}'`);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/**
 * After an erasure: the deleted text must not be left in the file's free pages or in the log. False when it is all the same, because
 * someone reads the file as it was before.
 */
export function scrub({ connection }: Context): boolean {
  const [done] = connection.sql<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').all();
  return done?.busy === 0;
}
