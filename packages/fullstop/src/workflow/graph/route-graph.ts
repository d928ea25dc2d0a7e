import type { ErrorRoute, ForEachGroup, ParallelGroup, Route, Step, WorkflowDocument } from '../schema/document.js';

/** Something that a route can lead to. */
export type Unit =
  | { readonly type: 'step'; readonly name: string; readonly step: Step }
  | {
      readonly type: 'parallel';
      readonly name: string;
      readonly group: ParallelGroup;
      readonly members: readonly Step[];
    }
  | { readonly type: 'for_each'; readonly name: string; readonly group: ForEachGroup };

/** One way to go on after a unit. */
export interface Edge {
  readonly from: string;
  /** A unit, or `$end`. */
  readonly to: string;
  /** `end` is the end of a unit without routes; `error` is taken when the unit failed. */
  readonly kind: 'route' | 'option' | 'abort' | 'error' | 'end';
  /** What must hold, in words; absent when it is always taken. */
  readonly condition?: string;
}

export interface RouteGraph {
  readonly entry: string;
  readonly units: ReadonlyMap<string, Unit>;
  readonly edges: readonly Edge[];
  /** The edges that can be taken from a unit, in order; those behind a route without condition are left out. */
  readonly from: ReadonlyMap<string, readonly Edge[]>;
}

/** The units of a document and the ways between them; of two units with one name the first counts. */
export function routeGraph(document: WorkflowDocument): RouteGraph {
  const units = unitsOf(document);
  const from = new Map([...units.values()].map((unit) => [unit.name, edgesOf(unit)]));
  return { entry: document.workflow.entry_point, units, edges: [...from.values()].flat(), from };
}

function unitsOf(document: WorkflowDocument): ReadonlyMap<string, Unit> {
  const units = new Map<string, Unit>();
  const put = (unit: Unit): void => {
    if (!units.has(unit.name)) units.set(unit.name, unit);
  };
  for (const step of document.agents) put({ type: 'step', name: step.name, step });
  for (const group of document.parallel) {
    const members = group.agents.flatMap((name) => document.agents.find((step) => step.name === name) ?? []);
    put({ type: 'parallel', name: group.name, group, members });
  }
  for (const group of document.for_each) put({ type: 'for_each', name: group.name, group });
  return units;
}

function edgesOf(unit: Unit): readonly Edge[] {
  const { name } = unit;
  if (unit.type !== 'step') {
    return [...routeEdges(name, unit.group.routes), ...errorEdges(name, unit.group.on_error)];
  }
  const { step } = unit;
  switch (step.type) {
    case 'terminate':
      return [];
    case 'human_gate':
      return [
        ...step.options.map(({ route, value }): Edge => ({ from: name, to: route, kind: 'option', condition: value })),
        ...errorEdges(name, step.on_error),
      ];
    case 'questions':
      return [
        ...routeEdges(name, step.routes),
        ...(step.allow_abort === true ? [abortEdge(name, step.abort_route)] : []),
        ...errorEdges(name, step.on_error),
      ];
    case 'agent':
    case 'script':
    case 'set':
    case 'wait':
    case 'workflow':
    case 'pipeline':
    case 'convergence':
      return [...routeEdges(name, step.routes), ...errorEdges(name, step.on_error)];
  }
}

function routeEdges(from: string, routes: readonly Route[]): readonly Edge[] {
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

function abortEdge(from: string, route: string | undefined): Edge {
  return { from, to: route ?? '$end', kind: 'abort', condition: 'aborted' };
}

function errorEdges(from: string, routes: readonly ErrorRoute[]): readonly Edge[] {
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

/** Whether the unit has a route for every output; without routes it ends, so it has one. */
export function hasCatchAll(unit: Unit): boolean {
  if (unit.type !== 'step') return catchesAll(unit.group.routes);
  return !('routes' in unit.step) || catchesAll(unit.step.routes);
}

function catchesAll(routes: readonly Route[]): boolean {
  return routes.length === 0 || routes.some(({ when }) => when === undefined);
}
