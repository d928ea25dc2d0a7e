import { draftOpening, type Opening } from '../../rules/frame-entries.js';
import { findWaking, type WaitingMessage } from '../../rules/waking.js';
import { toRow } from '../../store/entry-row.js';
import { wakingFacts } from '../../store/rows/run-waking.js';
import type { Context, RunRow } from './context.js';
import { appendEntry } from './effects.js';

/** Makes a parked run ready again if its time has come or one of these messages wakes it. True when it is ready now. */
export async function wakeIfDue(
  context: Context,
  run: RunRow,
  messages: readonly WaitingMessage[],
  now: number,
): Promise<boolean> {
  const waking = findWaking(wakingFacts(run, now), messages);
  if (waking === undefined) return false;
  if (waking.opensSegment) await openSegment(context, run, { ...waking, now });
  else {
    context.sql.later("UPDATE @runs SET state = 'ready', wake_at = NULL WHERE id = $1", [run.id]);
    context.locked.forget(run.id);
  }
  return true;
}

/** Opens the segment after an ending and returns its number. */
export async function openSegment(
  context: Context,
  run: RunRow,
  opening: Omit<Opening, 'from' | 'lastAt'>,
): Promise<number> {
  const segment = run.segment + 1;
  const { at: lastAt } = await context.writer.head(run.id);
  const { because, by, options, now } = opening;
  const draft = draftOpening({
    from: run.segment,
    because,
    by,
    ...(options !== undefined && { options }),
    now,
    lastAt,
  });
  await appendEntry(context, { run: run.id, runId: run.run_id, segment }, toRow(draft));
  return segment;
}

/** The messages that no entry has consumed, oldest first. Those up to `lastKnown` the last owner had already. */
export async function waitingMessages(
  { sql }: Context,
  run: number,
  lastKnown: number,
): Promise<readonly WaitingMessage[]> {
  const rows = await sql.rows<{ id: number; type: WaitingMessage['type']; sender: string | null }>(
    'SELECT id, type, sender FROM @inbox WHERE run = $1 AND NOT consumed ORDER BY id',
    [run],
  );
  return rows.map(({ id, type, sender }) => ({ type, by: sender ?? undefined, known: id <= lastKnown }));
}
