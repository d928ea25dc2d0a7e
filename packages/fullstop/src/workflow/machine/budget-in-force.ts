import { readChanges } from '../../run/changes/resume-changes.js';
import { limitsAt } from '../../run/limits.js';
import type { SegmentOpening } from '../../run/machine/machine.js';
import { isObject } from '../../termination/json.js';
import type { WorkflowStart } from './machine.js';
import type { Program } from './program.js';

/** The budget that must be kept; undefined where it is only reported, or looked at between steps as the reference does. */
export function enforcedBudget(program: Pick<Program, 'lenient' | 'document'>): number | undefined {
  return isEnforced(program) ? program.document.workflow.limits.budget_usd : undefined;
}

/** True where a budget is a limit of the unit, which ends it as soon as it is used up. */
export function isEnforced({ lenient, document }: Pick<Program, 'lenient' | 'document'>): boolean {
  return !lenient && document.workflow.limits.budget_mode === 'enforce';
}

/** The budget that a workflow must keep in the segment at hand: the one that it began with, as resumes have changed it. */
export function budgetInForce(
  program: Program,
  { scope, budgetUsd }: Pick<WorkflowStart, 'scope' | 'budgetUsd'>,
  openings: readonly SegmentOpening[],
): number | undefined {
  if (!isEnforced(program)) return undefined;
  return openings.reduce((budget, opening) => budgetAfter(program, { scope, budget, opening }), budgetUsd) ?? undefined;
}

interface Reopening {
  readonly scope: string;
  readonly budget: number | null;
  readonly opening: SegmentOpening;
}

/** The budget after a resume. */
export function budgetAfter({ document }: Program, { scope, budget, opening }: Reopening): number | null {
  const current = document.workflow.limits.budget_usd ?? null;
  const kept = usesCurrentFile(opening) ? budgetOfFile(current, scope === '' ? budget : null) : budget;
  const { budgetUsd = raisedInside(opening, scope) } = readChanges(opening.options, scope, true);
  return budgetUsd === undefined ? kept : budgetUsd;
}

/** Whoever resumes what is around a workflow knows it as a unit with limits; a resume of the run itself has an option for its budget. */
function raisedInside({ options }: SegmentOpening, scope: string): number | null | undefined {
  return scope === '' ? undefined : limitsAt(options, scope).costUsd;
}

/** The budget of the file as it is now. One that a resume of the run has raised further stands. */
function budgetOfFile(current: number | null, raised: number | null): number | null {
  return current === null || raised === null ? current : Math.max(current, raised);
}

/** True for a resume with the files as they are now: a workflow then has the limits of its file. */
export function usesCurrentFile({ options }: SegmentOpening): boolean {
  const { changes } = options;
  return isObject(changes) && 'source' in changes;
}
