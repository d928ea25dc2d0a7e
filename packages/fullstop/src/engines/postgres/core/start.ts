import { type LatestTurn, refuseTurn, type TurnRefusal } from '../../rules/turns.js';
import type { InputOf, OutputOf, StoredRun } from '../../store/operations.js';
import { type Context, findRun, type RunRow, runColumns } from './context.js';
import { appendEntry } from './effects.js';
import { storeBelongings } from './moving.js';

export async function start(context: Context, { run, now, data }: InputOf<'start'>): Promise<OutputOf<'start'>> {
  const existing = await findRun(context, run.runId);
  if (existing !== undefined) return { existing: (await context.reader.linked(existing.id, run.runId, 1)).data };
  const refusal = await refuseStoredTurn(context, run);
  if (refusal !== undefined) return { refusal };
  const id = insertRun(context, run, now);
  await context.writer.stage(
    { run: id, runId: run.runId, segment: 1 },
    { scope: '', ordinal: -1, at: now, type: 'run_started', key: null, data },
  );
  return 'started';
}

/** Numbers were taken for all runs of the batch at once. */
function insertRun({ newIds, writer, locked }: Context, run: StoredRun, startedAt: number): number {
  const id = newIds.shift() as number;
  writer.stageRun(id, run, startedAt);
  // Others in this transaction read its row.
  locked.forgetMissing(run.runId);
  return id;
}

/** Imports a journal as it is; its hashes, if any, are kept. */
export async function importRun(
  context: Context,
  { run, rows, belongings }: InputOf<'importRun'>,
): Promise<OutputOf<'importRun'>> {
  if ((await findRun(context, run.runId)) !== undefined) return 'exists';
  const id = insertRun(context, run, rows[0]?.at ?? 0);
  for (const row of rows)
    await appendEntry(context, { run: id, runId: run.runId, segment: row.segment }, row, row.hash);
  if (belongings !== undefined) await storeBelongings(context, id, belongings);
  return 'imported';
}

/** Why a turn of a conversation cannot be started. Asked in the transaction of the start, so that of two one wins. */
async function refuseStoredTurn(context: Context, run: StoredRun): Promise<TurnRefusal | undefined> {
  const { conversation: id, turn, afterRun, afterSegment: segment } = run;
  if (id === null || turn === null) return undefined;
  const row = await latestTurn(context, id);
  const latest: LatestTurn | undefined = row && {
    runId: row.run_id,
    turn: row.turn ?? 0,
    state: row.state,
    hasEnding: row.ending_seq !== null,
  };
  const after = afterRun === null || segment === null ? undefined : { runId: afterRun, segment };
  const afterSegment = after && (await findRun(context, after.runId))?.segment;
  return refuseTurn({ id, turn, ...(after !== undefined && { after }) }, { latest, afterSegment });
}

/** The latest turn of the conversation of a run, if that is another one. */
export async function laterTurn(context: Context, run: RunRow): Promise<string | undefined> {
  const latest = run.conversation === null ? undefined : (await latestTurn(context, run.conversation))?.run_id;
  return latest === run.run_id ? undefined : latest;
}

/** Of everyone who asks for the turns of one conversation, one at a time gets an answer until the end of its transaction. */
async function latestTurn({ sql, writer }: Context, conversation: string): Promise<RunRow | undefined> {
  await writer.write();
  await sql.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${writer.schema} ${conversation}`]);
  return sql.row<RunRow>(`SELECT ${runColumns} FROM @runs WHERE conversation = $1 ORDER BY turn DESC LIMIT 1`, [
    conversation,
  ]);
}
