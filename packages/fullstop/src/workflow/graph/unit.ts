import type { ForEachGroup, Step } from '../schema/document.js';
import type { ErrorRoute, ParallelGroup, Route } from '../schema/record-types.js';

/** Something that a route can lead to. */
export type Unit = StepUnit | GroupUnit;

export interface StepUnit {
  readonly type: 'step';
  readonly name: string;
  readonly step: Step;
}

export type GroupUnit = ParallelUnit | ForEachUnit;

export interface ParallelUnit {
  readonly type: 'parallel';
  readonly name: string;
  readonly group: ParallelGroup;
  readonly members: readonly Step[];
}

export interface ForEachUnit {
  readonly type: 'for_each';
  readonly name: string;
  readonly group: ForEachGroup;
}

const none: readonly never[] = [];

/** The routes of a unit; a gate has none, because its options say where to continue. */
export function routesOf(unit: Unit): readonly Route[] {
  if (unit.type !== 'step') return unit.group.routes;
  return 'routes' in unit.step ? unit.step.routes : none;
}

/** The routes for failures of a unit. */
export function errorRoutesOf(unit: Unit): readonly ErrorRoute[] {
  if (unit.type !== 'step') return unit.group.on_error;
  return 'on_error' in unit.step ? unit.step.on_error : none;
}

/** Whether the unit has a route for every output; without routes it ends, so it has one. */
export function hasCatchAll(unit: Unit): boolean {
  const routes = routesOf(unit);
  return routes.length === 0 || routes.some(({ when }) => when === undefined);
}
