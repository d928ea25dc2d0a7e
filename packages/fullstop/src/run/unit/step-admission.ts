import type { Charge } from '../../engines/port/usage.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { Exceeded, Ledger } from '../accounts/ledger.js';
import type { Execution } from '../segment/execution.js';
import { endAtLimit } from './end-unit.js';
import type { AskedStep } from './step-call.js';
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
  return endingIn(unit, held.ledger, held.termination);
}

/** The ending of a unit by a limit of its own or of a parent: that stops it as the parent would. */
export function endingIn(unit: Unit, ledger: Ledger, cause: AnyTermination): AnyTermination {
  return ledger === unit.ledger ? cause : terminations.cancelled({ by: 'parent', cause });
}

/**
 * Sets aside what a step may use that makes do with less than it reserves. Waits while others hold what is left, since they may give back
 * most of it; undefined when there is nothing to wait for.
 */
export function takeShare(execution: Execution, asked: AskedStep): Promise<void> | undefined {
  if (asked.watch?.isShrinkable !== true) return undefined;
  const holder = tryShare(execution, asked);
  return holder === undefined ? undefined : waitForShare(execution, asked, holder);
}

/** The account at which others hold what is left. A step that is not to be performed anyway gets no share. */
function tryShare({ state }: Execution, asked: AskedStep): Ledger | undefined {
  const { unit, options } = asked;
  if (options.reserve === undefined || state.isOverFor(unit) || state.refusalFor(unit) !== undefined) return undefined;
  if (unit.ledger.exceeded() !== undefined) return undefined;
  const share = unit.ledger.share(options.reserve);
  if (!('release' in share)) return share;
  asked.giveBack = share.release;
  asked.room = share.room;
  return undefined;
}

/** Waiting for others is work under way: the run is not at rest. */
async function waitForShare(execution: Execution, asked: AskedStep, first: Ledger): Promise<void> {
  const { unit } = asked;
  execution.rest.begin(unit);
  for (let holder: Ledger | undefined = first; holder !== undefined; holder = tryShare(execution, asked)) {
    await new Promise<void>((resolve) => {
      const stop = unit.whenAborted(() => resolve());
      holder?.whenReleased(() => {
        stop();
        resolve();
      });
    });
  }
  execution.rest.done(unit);
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
