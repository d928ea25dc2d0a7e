import type { Execution } from '../segment/execution.js';
import type { Unit } from '../unit/unit.js';

/** What a unit did after something that a later segment tries again is a branch that is dead then; it goes on behind it. */
export function goOnBehind(execution: Execution, unit: Unit, next: number): void {
  if (unit.nextOrdinal >= next && unit.branch === next) return;
  unit.goOnBehind(next, execution.replay.visitsOf(unit.scope, next));
}
