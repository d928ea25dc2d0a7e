import type { InputOf, OutputOf } from '../operations.js';
import { type Context, findRun } from './context.js';
import { appendEntry } from './effects.js';

export function start(context: Context, { run, now, data }: InputOf<'start'>): OutputOf<'start'> {
  const existing = findRun(context, run.runId);
  if (existing !== undefined) return { existing: context.reader.linked(existing.id, run.runId, 1).data };
  const id = insertRun(context, run, now);
  context.writer.stage(
    { run: id, runId: run.runId, segment: 1 },
    { scope: '', ordinal: -1, at: now, type: 'run_started', key: null, data },
  );
  return 'started';
}

function insertRun({ connection }: Context, run: InputOf<'start'>['run'], startedAt: number): number {
  const row = connection
    .sql<{ id: number }>(
      "INSERT INTO runs (run_id, name, version, parent_run, parent_scope, state, segment, started_at) VALUES (?, ?, ?, ?, ?, 'ready', 1, ?) RETURNING id",
    )
    .get(run.runId, run.name, run.version, run.parentRun, run.parentScope, startedAt);
  return (row as { id: number }).id;
}

/** Imports a journal as it is; its hashes, if any, are kept. */
export function importRun(context: Context, { run, rows }: InputOf<'importRun'>): OutputOf<'importRun'> {
  if (findRun(context, run.runId) !== undefined) return 'exists';
  const id = insertRun(context, run, rows[0]?.at ?? 0);
  for (const row of rows) appendEntry(context, { run: id, runId: run.runId, segment: row.segment }, row, row.hash);
  return 'imported';
}
