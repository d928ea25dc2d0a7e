import type { JsonObject } from 'fullstop';
import { parseStepKey } from 'fullstop/journal';
import { type UnitNode, workflowObservations } from '../journal/unit-tree.js';
import { endedStep } from '../journal/workflow-observation.js';

/** The parts of a unit that were at work when it was cut off: the innermost units, and of a workflow also steps without a unit of their own. */
export function runningSteps(unit: UnitNode): readonly string[] {
  const cut = unit.children.filter(isCut).flatMap((child) => {
    const inner = runningSteps(child);
    return inner.length === 0 ? [child.path] : inner;
  });
  return [...cut, ...startedSteps(unit).filter((name) => !cut.includes(within(unit, name)))];
}

/** A unit without an ending, or one that its parent ended. */
function isCut({ termination }: UnitNode): boolean {
  return termination === undefined || termination.kind === 'cancelled';
}

/** The step of a workflow that was begun last and has not ended, or those members of it that have not. */
function startedSteps(unit: UnitNode): readonly string[] {
  const { steps, children } = unit;
  const observations = workflowObservations(unit);
  const begun = observations.findLast(({ data }) => data['type'] === 'step_started');
  if (begun === undefined) return [];
  const { step } = begun.data;
  if (typeof step !== 'string') return [];
  if (observations.some(({ seq, data }) => seq > begun.seq && endedStep(data) === step)) return [];
  const done = steps.filter(({ seq }) => seq > begun.seq).flatMap(({ key }) => parseStepKey(key)?.unit ?? []);
  const members = memberNames(step, begun.data);
  const seen = new Set([...done, ...children.map(({ name }) => name)]);
  if (members.length > 0) return members.filter((name) => !seen.has(name)).map((name) => within(unit, name));
  return children.some(({ seq }) => seq > begun.seq) || done.length > 0 ? [] : [within(unit, step)];
}

function memberNames(step: string, { members }: JsonObject): readonly string[] {
  if (!Array.isArray(members)) return [];
  return members.map((member) => `${step}.${String((member as JsonObject)['name'])}`);
}

function within({ path }: UnitNode, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}
