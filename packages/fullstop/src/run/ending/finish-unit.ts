import { terminations } from '../../termination/terminations.js';
import type { UnitResult } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import { endAtLimit } from '../unit/end-unit.js';
import { refusingUnit } from '../unit/step-admission.js';
import type { Unit } from '../unit/unit.js';
import { soundResult } from './conclude.js';

/** Ends a unit whose body returned. What still runs inside is cancelled by it: nothing is left without an ending. */
export function finishUnit(execution: Execution, unit: Unit, result: UnitResult): void {
  if (unit.hasChildren) {
    const { termination: cause } = soundResult(result, execution.settings.registry);
    for (const inner of unit.withDescendants()) {
      if (inner === unit) continue;
      if (execution.state.cancelRequest !== undefined) execution.unwound.push(inner);
      inner.end({ termination: terminations.cancelled({ by: 'parent', cause }), also: [] });
    }
  }
  if (execution.state.cancelRequest !== undefined) execution.unwound.push(unit);
  const refusing = refusingUnit(unit, result.termination);
  unit.end(result);
  if (refusing !== undefined) endAtLimit(refusing.unit, refusing.limit);
}
