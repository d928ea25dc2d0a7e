import type { ApiRoute } from '../http/route.js';
import type { DashboardSurroundings } from '../surroundings.js';
import { actionRoutes } from './action-routes.js';
import { listRoutes } from './list-routes.js';
import { runRoutes } from './run-routes.js';

/** The whole API; its description is made from the same list. */
export function allRoutes(around: DashboardSurroundings): readonly ApiRoute[] {
  return [...listRoutes(around), ...runRoutes(around), ...actionRoutes(around)];
}
