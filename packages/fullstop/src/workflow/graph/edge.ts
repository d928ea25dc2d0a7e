import type { ErrorRoute, Route } from '../schema/record-types.js';

/** One way to continue after a unit. */
export interface Edge {
  readonly from: string;
  /** A unit, or `$end`. */
  readonly to: string;
  /** `end` is the end of a unit without routes; `error` is taken when the unit failed. */
  readonly kind: 'route' | 'option' | 'abort' | 'error' | 'end';
  /** The condition, in words; absent when it is always taken. */
  readonly condition?: string;
}

interface Routed {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly on_error: readonly ErrorRoute[];
}

/** The edges of a unit with routes and routes for errors. */
export function routedEdges({ name, routes, on_error }: Routed): readonly Edge[] {
  return [...routeEdges(name, routes), ...errorEdges(name, on_error)];
}

/** Those after a route without condition can never be taken and are left out. */
export function routeEdges(from: string, routes: readonly Route[]): readonly Edge[] {
  if (routes.length === 0) return [{ from, to: '$end', kind: 'end' }];
  const always = routes.findIndex(({ when }) => when === undefined);
  const possible = always < 0 ? routes : routes.slice(0, always + 1);
  return possible.map(({ to, when }) => ({
    from,
    to,
    kind: 'route',
    ...(when === undefined ? {} : { condition: when }),
  }));
}

export function errorEdges(from: string, routes: readonly ErrorRoute[]): readonly Edge[] {
  const always = routes.findIndex(matchesAnyError);
  const possible = always < 0 ? routes : routes.slice(0, always + 1);
  return possible.map((route) => ({ from, to: route.to, kind: 'error', condition: errorWords(route) }));
}

/** Whether an error route takes every failure. */
export function matchesAnyError(route: ErrorRoute): boolean {
  return [route.kind, route.category, route.error, route.when].every((part) => part === undefined);
}

function errorWords({ kind, category, error, when }: ErrorRoute): string {
  const parts = [...(kind ?? []), ...(category ?? []), ...(error ?? []), ...(when === undefined ? [] : [when])];
  return parts.length === 0 ? 'error' : `error: ${parts.join(', ')}`;
}
