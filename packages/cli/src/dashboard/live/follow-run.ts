import type { StoreEngine } from 'fullstop/engines/sqlite';
import type { Mask } from '../../terminal/terminal.js';
import { cappedEntry } from '../reads/capped-entry.js';
import type { RowMaker } from '../reads/run-row.js';
import type { LiveEvent } from './event-stream.js';

const pageSize = 500;

export interface RunFollowing {
  readonly runId: string;
  /** The entry that the reader has. */
  readonly after: number;
  readonly rows: RowMaker;
  readonly mask: Mask;
}

/**
 * Looks for new entries of a run. The number of an entry is the place of a reader, so that one who connects again gets each entry
 * once. Ended runs are followed too: they may be resumed.
 */
export function followRun(
  engine: StoreEngine,
  { runId, after, rows, mask }: RunFollowing,
): () => Promise<readonly LiveEvent[] | 'end'> {
  let last = after;
  let shown = '';
  return async () => {
    const entries = await engine.journal(runId, { after: last, limit: pageSize });
    last = entries.at(-1)?.seq ?? last;
    const summary = await engine.summary(runId);
    // It was erased: there is nothing to follow any more.
    if (summary === undefined) return 'end';
    const state = JSON.stringify([summary.state, summary.segment, summary.kind, summary.orphaned, summary.silentSince]);
    const isNews = entries.length > 0 || state !== shown;
    shown = state;
    if (!isNews) return [];
    const data = {
      seq: last,
      entries: entries.map((entry) => cappedEntry(entry, mask)),
      row: await rows.rowOf(summary),
    };
    return [{ event: 'entries', id: last, data }];
  };
}
