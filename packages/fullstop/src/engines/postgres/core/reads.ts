import type { Break } from '../../store/chain.js';
import type { InputOf, OutputOf, RunStatus, StoredEntry } from '../../store/operations.js';
import { type Context, lookUpRun, type RunRow, runColumns } from './context.js';

export async function journal(context: Context, query: InputOf<'journal'>): Promise<OutputOf<'journal'>> {
  const run = await lookUpRun(context, query.runId);
  return run === undefined ? [] : context.reader.entries(run.id, query);
}

export async function status(context: Context, { runIds }: InputOf<'status'>): Promise<OutputOf<'status'>> {
  const rows = await context.sql.rows<RunRow>(`SELECT ${runColumns} FROM @runs WHERE run_id = ANY($1::text[])`, [
    runIds,
  ]);
  const places = rows.flatMap(({ id, run_id: runId, ending_seq: seq }) =>
    seq === null ? [] : [{ run: id, runId, seq }],
  );
  const endings = await context.reader.linkedAll(places);
  return rows.map((row) => statusOf(row, endings.get(row.id)));
}

function statusOf(run: RunRow, ending: StoredEntry | Break | undefined): RunStatus {
  const { run_id: runId, state, segment, wake_at: wakeAt, damaged_seq: seq } = run;
  if (ending !== undefined && 'reason' in ending)
    return { runId, state, segment, wakeAt, ending: null, damage: { runId, ...ending } };
  const damage = seq === null ? null : { runId, seq, reason: run.damage ?? 'its journal does not fit its hashes' };
  return { runId, state, segment, wakeAt, ending: ending ?? null, damage };
}
