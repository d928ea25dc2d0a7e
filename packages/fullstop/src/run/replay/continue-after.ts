import type { Unit } from '../unit/unit.js';
import type { Replay } from './replay.js';

/** Continues a unit after a dead branch: what it did after something that a later segment tries again. */
export function continueAfter(replay: Replay, unit: Unit, next: number): void {
  if (unit.nextOrdinal >= next && unit.branch === next) return;
  unit.continueAfter(next, replay.visitsOf(unit.scope, next));
}
