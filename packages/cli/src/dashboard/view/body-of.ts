import type { UnitNode } from '../../journal/unit-tree.js';
import { loopObservation } from '../../why/observation.js';

/** The form of the work in a unit, by what it left in the journal. */
export type UnitBody = 'workflow' | 'agent' | 'convergence' | 'flow';

/** Tells what a unit is: a workflow, a loop of a model, a convergence, or units and steps in some order. */
export function bodyOf({ observations, merges, loops }: UnitNode): UnitBody {
  if (merges.length > 0) return 'convergence';
  if (loops) return 'agent';
  if (observations.some(({ data }) => data['type'] === 'workflow_started')) return 'workflow';
  return observations.some(({ data }) => loopObservation(data) !== undefined) ? 'agent' : 'flow';
}

/** The type of a unit in a drawing where no file says more. */
export function unitType(unit: UnitNode): string {
  const body = bodyOf(unit);
  return body === 'flow' ? 'unit' : body;
}
