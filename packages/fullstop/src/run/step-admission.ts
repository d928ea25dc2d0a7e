import type { StepOutcome } from '../engines/port/journal-entry.js';
import type { AnyTermination } from '../termination/kinds.js';
import type { Execution } from './execution.js';
import type { StepOptions } from './run-context.js';
import type { Unit } from './unit.js';

/**
 * Lets a step begin if no limit stands against it. Otherwise the unit whose limit it is ends; a reservation may be refused
 * to the step alone, with the limit that has no room for it.
 */
export function admit(
  execution: Execution,
  unit: Unit,
  { reserve, onRefused = 'end' }: StepOptions,
): (() => void) | AnyTermination | undefined {
  const exceeded = unit.undoing ? undefined : unit.ledger.exceeded();
  const held = exceeded === undefined && reserve !== undefined ? unit.ledger.reserve(reserve) : exceeded;
  if (held === undefined) return nothing;
  if (typeof held === 'function') return held;
  if (exceeded === undefined && onRefused === 'fail') return held.termination;
  let owner: Unit = unit;
  while (owner.ledger !== held.ledger && owner.parent !== undefined) owner = owner.parent;
  execution.endUnit(owner, held.termination);
  return undefined;
}

export function refusedOutcome(key: string, refusal: AnyTermination): StepOutcome {
  const message = `${key} was not performed: a budget has no room for what it may use.`;
  return { ok: false, error: { name: 'BudgetRefused', message, code: 'BUDGET_REFUSED' }, attempts: 0, refusal };
}

function nothing(): void {
  // Nothing was reserved, so nothing is given back.
}
