import { type LatestTurn, refuseTurn, type TurnRefusal } from '../../rules/turns.js';
import type { InputOf, OutputOf, StoredRun } from '../../store/operations.js';
import { type Context, findRun, type RunRow, runColumns } from './context.js';
import { appendEntry } from './effects.js';
import { storeBelongings } from './moving.js';

export function start(context: Context, { run, now, data }: InputOf<'start'>): OutputOf<'start'> {
  const existing = findRun(context, run.runId);
  if (existing !== undefined) return { existing: context.reader.linked(existing.id, run.runId, 1).data };
  const refusal = refuseStoredTurn(context, run);
  if (refusal !== undefined) return { refusal };
  const id = insertRun(context, run, now);
  context.writer.stage(
    { run: id, runId: run.runId, segment: 1 },
    { scope: '', ordinal: -1, at: now, type: 'run_started', key: null, data },
  );
  return 'started';
}

function insertRun({ connection }: Context, run: InputOf<'start'>['run'], startedAt: number): number {
  const spawned = [run.parentRun, run.parentScope];
  const place = [run.conversation, run.turn, run.afterRun, run.afterSegment];
  const cells = [run.runId, run.name, run.version, ...spawned, ...place];
  const row = connection
    .sql<{ id: number }>(
      "INSERT INTO runs (run_id, name, version, parent_run, parent_scope, conversation, turn, after_run, after_segment, state, segment, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'ready', 1, ?) RETURNING id",
    )
    .get(...cells, startedAt);
  return (row as { id: number }).id;
}

/** Imports a journal as it is; its hashes, if any, are kept. */
export function importRun(context: Context, { run, rows, belongings }: InputOf<'importRun'>): OutputOf<'importRun'> {
  if (findRun(context, run.runId) !== undefined) return 'exists';
  const id = insertRun(context, run, rows[0]?.at ?? 0);
  for (const row of rows) appendEntry(context, { run: id, runId: run.runId, segment: row.segment }, row, row.hash);
  if (belongings !== undefined) storeBelongings(context, id, belongings);
  return 'imported';
}

/** Why a turn of a conversation cannot be started. Asked in the transaction of the start, so that of two one wins. */
function refuseStoredTurn(context: Context, run: StoredRun): TurnRefusal | undefined {
  const { conversation: id, turn, afterRun, afterSegment: segment } = run;
  if (id === null || turn === null) return undefined;
  const row = latestTurn(context, id);
  const latest: LatestTurn | undefined = row && {
    runId: row.run_id,
    turn: row.turn ?? 0,
    state: row.state,
    hasEnding: row.ending_seq !== null,
  };
  const after = afterRun === null || segment === null ? undefined : { runId: afterRun, segment };
  const afterSegment = after && findRun(context, after.runId)?.segment;
  return refuseTurn({ id, turn, ...(after !== undefined && { after }) }, { latest, afterSegment });
}

/** The latest turn of the conversation of a run, if that is another one. */
export function laterTurn(context: Context, run: RunRow): string | undefined {
  const latest = run.conversation === null ? undefined : latestTurn(context, run.conversation)?.run_id;
  return latest === run.run_id ? undefined : latest;
}

function latestTurn({ connection }: Context, conversation: string): RunRow | undefined {
  return connection.select(runColumns, 'FROM runs WHERE conversation = ? ORDER BY turn DESC LIMIT 1').get(conversation);
}
