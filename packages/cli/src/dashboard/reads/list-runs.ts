import type { RunFilter, RunSummary } from 'fullstop/engine';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import type { RunFilterQuery, RunPageQuery } from '../api/run-query.js';
import type { RunPageBody } from '../api/run-row.js';
import { ApiError } from '../http/api-error.js';
import type { RowMaker } from './run-row.js';

const usualLimit = 50;
const mostIds = 200;

/** The filter of an engine that a query asks for. */
export function filterOf(query: RunFilterQuery): RunFilter {
  const { state, kind, category, outcome, name, q, conversation, parent, roots, after, before } = query;
  return {
    ...(state !== undefined && { state }),
    ...(kind !== undefined && { kind }),
    ...(category !== undefined && { category }),
    ...(outcome !== undefined && { outcome }),
    ...(name !== undefined && { name }),
    ...(q !== undefined && q !== '' && { text: q }),
    ...(conversation !== undefined && { conversation }),
    ...(parent !== undefined && { parentRunId: parent }),
    ...(roots === true && { roots }),
    ...(after !== undefined && { startedAfter: after }),
    ...(before !== undefined && { startedBefore: before }),
  };
}

/** A page of runs, newest first, or those of certain ids that pass the filters. */
export async function listRuns(engine: StoreEngine, rows: RowMaker, query: RunPageQuery): Promise<RunPageBody> {
  const { ids, cursor, limit = usualLimit } = query;
  const filter = filterOf(query);
  if (ids !== undefined) return { runs: await rowsOfIds(engine, rows, { ids, filter }) };
  const { runs, next } = await engine.list({ ...filter, limit, ...(cursor !== undefined && { cursor }) });
  return { runs: await Promise.all(runs.map((summary) => rows.rowOf(summary))), ...(next !== undefined && { next }) };
}

interface Wanted {
  readonly ids: readonly string[];
  readonly filter: RunFilter;
}

async function rowsOfIds(engine: StoreEngine, rows: RowMaker, { ids, filter }: Wanted): Promise<RunPageBody['runs']> {
  if (ids.length > mostIds)
    throw new ApiError(`ids names ${ids.length} runs; ${mostIds} are possible.`, {
      status: 400,
      code: 'INVALID_REQUEST',
    });
  const found = await Promise.all(ids.map((id) => summaryIn(engine, id, filter)));
  return Promise.all(found.flatMap((summary) => (summary === undefined ? [] : [rows.rowOf(summary)])));
}

/** The run if it passes the filter, by the same rules as the list. */
async function summaryIn(engine: StoreEngine, id: string, filter: RunFilter): Promise<RunSummary | undefined> {
  const summary = await engine.summary(id);
  if (summary === undefined || Object.keys(filter).length === 0) return summary;
  const { startedAt } = summary;
  const { startedAfter = 0, startedBefore = startedAt + 1 } = filter;
  const { runs } = await engine.list({
    ...filter,
    idPrefix: id,
    startedAfter: Math.max(startedAfter, startedAt - 1),
    startedBefore: Math.min(startedBefore, startedAt + 1),
    limit: 1000,
  });
  return runs.find(({ runId }) => runId === id);
}
