import type { SegmentCause } from '../../port/journal-entry.js';
import type { Context, RunRow } from './context.js';
import { markOpened } from './effects.js';

export interface Opening {
  readonly because: SegmentCause;
  readonly by: string | null;
  /** JSON text. */
  readonly options?: string | null;
  readonly now: number;
}

/** Lets a parked run be taken up again; behind a paused ending that opens a segment. */
export function wake(context: Context, run: RunRow, opening: Opening): void {
  if (run.ending_seq !== null) openSegment(context, run, opening);
  else context.connection.sql("UPDATE runs SET state = 'ready', wake_at = NULL WHERE id = ?").run(run.id);
}

/** Opens the segment behind an ending and gives its number. */
export function openSegment(context: Context, run: RunRow, { because, by, options, now }: Opening): number {
  const segment = run.segment + 1;
  const place = { run: run.id, runId: run.run_id, segment };
  const data = JSON.stringify({
    from: run.segment,
    because,
    ...(by !== null && { by }),
    ...(options && { options: JSON.parse(options) as unknown }),
  });
  // Times never go backwards within a run.
  const at = Math.max(now, context.writer.head(run.id).at);
  context.writer.stage(place, { scope: '', ordinal: -1, at, type: 'segment_opened', key: null, data });
  markOpened(context, place, by);
  return segment;
}

interface Waiting {
  readonly type: 'answer' | 'cancel';
  readonly sender: string | null;
}

/** The first message that nobody has taken, among those behind a place in the inbox; any wish to cancel counts. */
export function waitingMessage({ connection }: Context, run: number, behind: number): Waiting | undefined {
  return connection
    .sql<Waiting>(
      "SELECT type, sender FROM inbox WHERE run = ? AND consumed = 0 AND (id > ? OR type = 'cancel') ORDER BY id LIMIT 1",
    )
    .get(run, behind);
}
