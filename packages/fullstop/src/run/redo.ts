import type { JournalEntry } from '../engines/port/journal-entry.js';
import { sameJson } from '../engines/port/same-json.js';
import type { JsonValue } from '../termination/json.js';
import type { Unit } from './unit.js';

/**
 * The failed step that a unit ended with, when a later segment takes it up: it is what is tried again. All other failures
 * stand, since the body has dealt with them.
 */
export function stepToRedo(unit: Unit, history: readonly JournalEntry[], segment: number): number | undefined {
  const ending = unit.endingBefore;
  if (ending?.kind !== 'failed' || ending.origin !== 'step') return undefined;
  const failed = history.findLast(
    (entry) =>
      entry.type === 'step_ended' &&
      entry.scope === unit.scope &&
      entry.segment < segment &&
      !entry.data.ok &&
      sameJson(entry.data.error as unknown as JsonValue, ending.error as unknown as JsonValue),
  );
  return failed?.seq;
}
