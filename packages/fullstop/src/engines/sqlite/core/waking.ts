import { draftOpening, type Opening } from '../../rules/frame-entries.js';
import { findWaking, type WaitingMessage } from '../../rules/waking.js';
import { toRow } from '../../store/entry-row.js';
import { wakingFacts } from '../../store/rows/run-waking.js';
import type { Context, RunRow } from './context.js';
import { appendEntry } from './effects.js';
import { integer, optional, text, word } from './rows/columns.js';

/** Makes a parked run ready again if its time has come or one of these messages wakes it. True when it is ready now. */
export function wakeIfDue(context: Context, run: RunRow, messages: readonly WaitingMessage[], now: number): boolean {
  const waking = findWaking(wakingFacts(run, now), messages);
  if (waking === undefined) return false;
  if (waking.opensSegment) openSegment(context, run, { ...waking, now });
  else context.connection.sql("UPDATE runs SET state = 'ready', wake_at = NULL WHERE id = ?").run(run.id);
  return true;
}

/** Opens the segment after an ending and returns its number. */
export function openSegment(context: Context, run: RunRow, opening: Omit<Opening, 'from' | 'lastAt'>): number {
  const segment = run.segment + 1;
  const lastAt = context.writer.head(run.id).at;
  const { because, by, options, now } = opening;
  const draft = draftOpening({
    from: run.segment,
    because,
    by,
    ...(options !== undefined && { options }),
    now,
    lastAt,
  });
  appendEntry(context, { run: run.id, runId: run.run_id, segment }, toRow(draft));
  return segment;
}

const waitingColumns = {
  id: integer('id'),
  type: word<WaitingMessage['type']>('type', ['answer', 'cancel']),
  sender: optional(text('sender')),
};

/** The messages that no entry has consumed, oldest first. Those up to `lastKnown` the last owner had already. */
export function waitingMessages({ connection }: Context, run: number, lastKnown: number): readonly WaitingMessage[] {
  return connection
    .select(waitingColumns, 'FROM inbox WHERE run = ? AND consumed = 0 ORDER BY id')
    .all(run)
    .map(({ id, type, sender }) => ({ type, by: sender ?? undefined, known: id <= lastKnown }));
}
