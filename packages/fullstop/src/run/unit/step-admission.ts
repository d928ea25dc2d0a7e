import type { Charge } from '../../engines/port/usage.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { Exceeded } from '../accounts/ledger.js';
import { endAtLimit } from './end-unit.js';
import type { Unit } from './unit.js';

/**
 * Admits a step if no limit is against it, and returns what releases its reservation. Undefined when a limit is used up:
 * the unit whose limit it is has ended. Where a limit only has no room for what the step may use, the refusal of the step: an
 * ending that its unit may come to.
 */
export function admit(unit: Unit, reserve: Charge | undefined): (() => void) | AnyTermination | undefined {
  const exceeded = unit.undoing ? undefined : unit.ledger.exceeded();
  if (exceeded !== undefined) {
    endAtLimit(ownerOf(unit, exceeded), exceeded.termination);
    return undefined;
  }
  const held = reserve === undefined ? nothing : unit.ledger.reserve(reserve);
  if (typeof held === 'function') return held;
  const { ledger, termination: cause } = held;
  // A limit of a parent stops this unit as that parent would.
  return ledger === unit.ledger ? cause : terminations.cancelled({ by: 'parent', cause });
}

function ownerOf(unit: Unit, { ledger }: Exceeded): Unit {
  let owner = unit;
  while (owner.ledger !== ledger && owner.parent !== undefined) owner = owner.parent;
  return owner;
}

/** The ancestor whose limit a unit has reached, when the unit ends as stopped by that; then the ancestor ends too. */
export function refusingUnit(unit: Unit, termination: AnyTermination): Refusing | undefined {
  if (unit.parent === undefined) return undefined;
  try {
    if (termination.kind !== 'cancelled' || termination.by !== 'parent' || termination.cause === undefined)
      return undefined;
    const limit: AnyTermination = termination.cause;
    for (let outer: Unit | undefined = unit.parent; outer !== undefined; outer = outer.parent)
      if (isLimitOf(outer, limit)) return { unit: outer, limit };
  } catch {
    // A body may return anything, even what throws when it is looked at; `conclude` makes something of it.
  }
  return undefined;
}

interface Refusing {
  readonly unit: Unit;
  readonly limit: AnyTermination;
}

function isLimitOf({ ledger: { limits } }: Unit, limit: AnyTermination): boolean {
  if (limit.kind === 'token_budget') return limit.limit === limits.tokens;
  return limit.kind === 'cost_budget' && limit.limitUsd === limits.costUsd;
}

function nothing(): void {
  // Nothing was reserved.
}
