import type { InputOf, OutputOf, RunStatus } from '../../store/operations.js';
import { type Context, findRun, type RunRow } from './context.js';
import { optional, text } from './rows/columns.js';
import { isDamage } from './rows/damaged-row.js';

export function journal(context: Context, query: InputOf<'journal'>): OutputOf<'journal'> {
  const run = findRun(context, query.runId);
  return run === undefined ? [] : context.reader.entries(run.id, query);
}

export function status(context: Context, { runIds }: InputOf<'status'>): OutputOf<'status'> {
  return runIds.flatMap((runId): readonly RunStatus[] => {
    try {
      const run = findRun(context, runId);
      return run === undefined ? [] : [statusOf(context, run)];
    } catch (error) {
      if (!isDamage(error)) throw error;
      // Whoever waits for another run is told of that one.
      const damage = { runId, seq: 0, reason: error.message };
      return [{ runId, state: 'ready', segment: 1, wakeAt: null, ending: null, damage }];
    }
  });
}

function statusOf({ reader, connection }: Context, run: RunRow): RunStatus {
  const { run_id: runId, state, segment, wake_at: wakeAt, ending_seq, damaged_seq: seq } = run;
  const ending = ending_seq === null ? null : reader.linked(run.id, runId, ending_seq);
  if (seq === null) return { runId, state, segment, wakeAt, ending, damage: null };
  const reason = connection.select(damageColumn, 'FROM runs WHERE id = ?').get(run.id)?.damage;
  const damage = { runId, seq, reason: reason ?? 'its journal does not fit its hashes' };
  return { runId, state, segment, wakeAt, ending, damage };
}

const damageColumn = { damage: optional(text('damage')) };
