import type { RunRow } from '../api/contract.js';

/** The pages of the list that were read so far. */
export interface RunPages {
  readonly rows: readonly RunRow[];
  /** The cursor of the next page; absent at the end. */
  readonly next?: string | undefined;
}

/** Adds a further page; a run that moved between two requests is there once. */
export function addPage(pages: RunPages, page: RunPages): RunPages {
  const known = new Set(pages.rows.map(({ runId }) => runId));
  return { rows: [...pages.rows, ...page.rows.filter(({ runId }) => !known.has(runId))], next: page.next };
}

/**
 * Puts in rows that were read again. Of the runs that were asked for, one that did not come no longer fits the filters; a
 * new one that would stand on a page that was not read yet comes with that page.
 */
export function applyRows(pages: RunPages, asked: readonly string[], found: readonly RunRow[]): RunPages {
  const fresh = new Map(found.map((row) => [row.runId, row]));
  const gone = new Set(asked.filter((runId) => !fresh.has(runId)));
  const kept = pages.rows.filter(({ runId }) => !gone.has(runId)).map((row) => fresh.get(row.runId) ?? row);
  const known = new Set(kept.map(({ runId }) => runId));
  const oldest = pages.next === undefined ? undefined : pages.rows.at(-1)?.startedAt;
  const added = found.filter(
    ({ runId, startedAt }) => !known.has(runId) && (oldest === undefined || startedAt >= oldest),
  );
  if (added.length === 0) return { ...pages, rows: kept };
  return { ...pages, rows: [...kept, ...added].sort(newestFirst) };
}

function newestFirst(one: RunRow, other: RunRow): number {
  return other.startedAt - one.startedAt;
}
