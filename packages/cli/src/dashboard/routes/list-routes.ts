import { overviewSchema } from '../api/overview.js';
import { type RequestList, requestListSchema } from '../api/requests.js';
import { overviewQuerySchema, runPageQuerySchema } from '../api/run-query.js';
import { runPageSchema } from '../api/run-row.js';
import { sessionSchema } from '../api/session.js';
import { type ApiRoute, jsonRoute, streamRoute } from '../http/route.js';
import { eventStream } from '../live/event-stream.js';
import { followRuns } from '../live/follow-runs.js';
import { listRuns } from '../reads/list-runs.js';
import { openRequests } from '../reads/open-requests.js';
import { overview } from '../reads/overview.js';
import { untilChange } from '../reads/until-change.js';
import type { DashboardSurroundings } from '../surroundings.js';

const pollMs = 500;

/** The routes of the list of runs. */
export function listRoutes(around: DashboardSurroundings): readonly ApiRoute[] {
  const { store, rows, version, readOnly, by, run, mask, closing } = around;
  const cached = untilChange(store.engine);
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
    jsonRoute({
      method: 'get',
      path: '/overview',
      summary: 'How runs ended, over time, by name, by cost and by root cause',
      query: overviewQuerySchema,
      response: overviewSchema,
      handle: ({ query }) => cached(`overview ${JSON.stringify(query)}`, () => overview(store.engine, query)),
    }),
    jsonRoute({
      method: 'get',
      path: '/requests',
      summary: 'Everything that waits for a person, the first deadline first',
      response: requestListSchema,
      handle: async () => onTime(await cached('requests', () => openRequests(store.engine))),
    }),
    streamRoute({
      path: '/events',
      summary: 'The ids of runs as they change; continues after the place in Last-Event-ID',
      response: 'text/event-stream',
      handle: ({ headers, signal }) => {
        const given = Number(headers.get('last-event-id') ?? Number.NaN);
        const after = Number.isSafeInteger(given) && given >= 0 ? given : undefined;
        const look = followRuns(store.engine, { version, after });
        return Promise.resolve(eventStream(look, { mask, signals: [signal, closing], pollMs }));
      },
    }),
  ];
}

/** A deadline passes whether or not anything is written. */
function onTime({ requests, complete }: RequestList): RequestList {
  const now = Date.now();
  return { requests: requests.filter(({ deadline }) => deadline === undefined || deadline > now), complete };
}
