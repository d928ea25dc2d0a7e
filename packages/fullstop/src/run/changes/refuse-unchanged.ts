import { durationLimit } from '../../stop/duration.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { rootCause } from '../../termination/root-cause.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { ConvergenceBudgets } from './budgets.js';
import type { ConvergenceChanges } from './resume-changes.js';

/** A budget of a convergence that was used up. */
export interface ReachedBudget {
  readonly name: keyof ConvergenceBudgets;
  readonly used: number;
  /** True where only a convergence has this budget. */
  readonly isOwn: boolean;
}

/** The budget that an ending is about, if it is about one. */
export function findReachedBudget(ending: Ending): ReachedBudget | undefined {
  const cause = ending as AnyTermination;
  switch (cause.kind) {
    case 'cycle_budget':
      return { name: 'cycles', used: cause.used, isOwn: true };
    case 'fact_budget':
      return { name: 'facts', used: cause.used, isOwn: true };
    case 'token_budget':
      return { name: 'tokens', used: cause.used, isOwn: false };
    case 'cost_budget':
      return { name: 'costUsd', used: cause.usedUsd, isOwn: false };
    case 'time_budget':
      return { name: 'time', used: cause.elapsedMs, isOwn: false };
    default:
      return undefined;
  }
}

export function budgetUnchanged(subject: string, { name, used }: ReachedBudget): FullstopError {
  return new FullstopError(
    'LIMIT_UNCHANGED',
    `${subject} would stop at once: resume it with budgets: { ${name}: … } above ${used}.`,
    { details: { option: `budgets.${name}`, used } },
  );
}

/** Refuses a resume after which the convergence inside would stop at once again, because its budget was not raised. */
export function refuseUnchangedBudget({ budgets = {} }: ConvergenceChanges, before: Ending | undefined): void {
  const reached = before === undefined ? undefined : findReachedBudget(rootCause(before));
  if (reached === undefined) return;
  const { name, used, isOwn } = reached;
  const wanted = name === 'time' ? timeOf(budgets.time) : budgets[name];
  // The others may be limits of a unit as well, which the run itself looks after.
  if (wanted === undefined ? !isOwn : wanted > used) return;
  throw budgetUnchanged('The convergence', reached);
}

function timeOf(time: ConvergenceBudgets['time']): number | undefined {
  return time === undefined ? undefined : durationLimit(time, { builder: 'budgets', option: 'time' });
}

/** Refuses to settle what the convergence inside does not wait for. */
export function refuseUnasked({ settled = [] }: ConvergenceChanges, before: Ending | undefined): void {
  const cause = before === undefined ? undefined : rootCause(before);
  if (cause?.kind !== 'human_intervention_required') return;
  refuseUnknownReference(settled, [...cause.criteria, ...cause.approvalRefs], 'resume');
}

/** Refuses a reference that no criterion waits for: it would settle nothing. */
export function refuseUnknownReference(settled: readonly string[], known: readonly string[], builder: string): void {
  const wrong = settled.find((ref) => !known.includes(ref));
  if (wrong === undefined) return;
  const there = known.map((each) => JSON.stringify(each)).join(', ');
  const why =
    known.length === 0
      ? 'but no criterion waits for a person'
      : `which nobody waits for${suggestion(wrong, known)}; there are ${there}`;
  throw new FullstopError('INVALID_OPTION', `${builder}: settled names ${JSON.stringify(wrong)}, ${why}.`);
}
