import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { Unit } from './unit.js';

/** Ends a unit from outside; what runs inside it is cancelled by it, with its ending as the cause. */
export function endUnit(unit: Unit, termination: AnyTermination): void {
  for (const inner of unit.withDescendants()) {
    if (inner === unit) continue;
    inner.end({ termination: terminations.cancelled({ by: 'parent', cause: termination }), also: [] });
  }
  unit.end({ termination, also: [] });
}
