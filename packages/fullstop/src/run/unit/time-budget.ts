import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { Execution } from '../segment/execution.js';
import { endAtLimit, holdAtLimit, wasStoppedAtLimit } from './end-unit.js';
import type { Unit } from './unit.js';

/** When a unit began, by the clock and by the active time of its run. */
export interface Beginning {
  readonly at: number;
  readonly activeMs: number;
}

/** Ends a unit when it has used up its active time or its deadline has passed, even if its body never returns. */
export function watchTime(execution: Execution, unit: Unit, began: Beginning): void {
  const { timeMs, deadline } = unit.ledger.limits;
  const scope = unit.parent === undefined ? 'run' : 'stage';
  const watch = (stop: () => void): void => {
    execution.onClose(stop);
    unit.whenAborted(stop);
  };
  const reach = (limit: AnyTermination): void => {
    // Executed again, it may not have come as far as it had when the limit was reached.
    if (unit.heldAt === undefined && wasStoppedAtLimit(execution, unit))
      holdAtLimit(execution, unit, { limit, also: [] });
    else endAtLimit(unit, limit);
  };
  if (timeMs !== undefined) {
    const end = (): void => {
      const elapsedMs = Math.max(timeMs, execution.active.ms() - began.activeMs);
      reach(terminations.timeBudget({ limitMs: timeMs, elapsedMs, scope }));
    };
    watch(execution.active.callAt(began.activeMs + timeMs, end));
  }
  if (deadline !== undefined) {
    const end = (): void => {
      // A deadline that had passed before it began leaves no time at all.
      const limitMs = Math.max(1, deadline - began.at);
      const elapsedMs = Math.max(limitMs, execution.engine.clock.now() - began.at);
      reach(terminations.timeBudget({ limitMs, elapsedMs, scope }));
    };
    watch(execution.rest.callAtDeadline(deadline, end));
  }
}
