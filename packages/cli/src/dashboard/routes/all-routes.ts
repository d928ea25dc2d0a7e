import { z } from 'zod';
import { openApi } from '../http/openapi.js';
import { type ApiRoute, jsonRoute } from '../http/route.js';
import type { DashboardSurroundings } from '../surroundings.js';
import { actionRoutes } from './action-routes.js';
import { listRoutes } from './list-routes.js';
import { runRoutes } from './run-routes.js';

/** The whole API, with its own description, which is made from the same list. */
export function allRoutes(around: DashboardSurroundings): readonly ApiRoute[] {
  const routes: readonly ApiRoute[] = [...listRoutes(around), ...runRoutes(around), ...actionRoutes(around)];
  const description: ApiRoute = jsonRoute({
    method: 'get',
    path: '/openapi.json',
    summary: 'The description of this API',
    response: z.unknown(),
    handle: (): Promise<unknown> => Promise.resolve(openApi([...routes, description], around.version)),
  });
  return [...routes, description];
}
