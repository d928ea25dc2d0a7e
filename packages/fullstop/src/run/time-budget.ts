import { terminations } from '../termination/terminations.js';
import type { Execution } from './execution.js';
import type { Unit } from './unit.js';

/** Ends a unit when it has used up its active time, even if its body never comes back. */
export function watchTime(execution: Execution, unit: Unit, activeAtOpening = 0): void {
  const limitMs = unit.ledger.limits.timeMs;
  if (limitMs === undefined) return;
  const stop = execution.active.callAt(activeAtOpening + limitMs, () => {
    const elapsedMs = Math.max(limitMs, execution.active.ms() - activeAtOpening);
    const scope = unit.parent === undefined ? 'run' : 'stage';
    execution.endUnit(unit, terminations.timeBudget({ limitMs, elapsedMs, scope }));
  });
  execution.onClose(stop);
  unit.whenAborted(stop);
}
