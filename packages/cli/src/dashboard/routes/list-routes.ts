import { runPageQuerySchema } from '../api/run-query.js';
import { runPageSchema } from '../api/run-row.js';
import { sessionSchema } from '../api/session.js';
import { type ApiRoute, jsonRoute } from '../http/route.js';
import { listRuns } from '../reads/list-runs.js';
import type { DashboardSurroundings } from '../surroundings.js';

/** The routes of the list of runs. */
export function listRoutes(around: DashboardSurroundings): readonly ApiRoute[] {
  const { store, rows, version, readOnly, by, run } = around;
  return [
    jsonRoute({
      method: 'get',
      path: '/session',
      summary: 'Who asks what',
      response: sessionSchema,
      handle: () =>
        Promise.resolve({
          version,
          store: store.location.file,
          readOnly,
          by,
          followable: true,
          ...(run !== undefined && { run }),
        }),
    }),
    jsonRoute({
      method: 'get',
      path: '/runs',
      summary: 'A page of runs, newest first',
      query: runPageQuerySchema,
      response: runPageSchema,
      handle: ({ query }) => listRuns(store.engine, rows, query),
    }),
  ];
}
