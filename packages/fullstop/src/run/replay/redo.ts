import type { JournalEntry, StepOutcome } from '../../engines/port/journal-entry.js';
import { sameJson } from '../../engines/port/same-json.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { Unit } from '../unit/unit.js';

/**
 * The failed step that a unit ended with, when a later segment resumes it: that step is tried again. All other failures
 * stay, since the body has dealt with them.
 */
export function stepToRedo(unit: Unit, history: readonly JournalEntry[], segment: number): number | undefined {
  const ending = unit.endingBefore;
  if (ending === undefined || (ending.kind === 'failed' && ending.origin !== 'step')) return undefined;
  const failed = history.findLast(
    (entry) =>
      entry.type === 'step_ended' &&
      entry.scope === unit.scope &&
      entry.segment < segment &&
      !entry.data.ok &&
      isWhyOf(ending, entry.data),
  );
  return failed?.seq;
}

function isWhyOf(ending: AnyTermination, { error, refusal }: Extract<StepOutcome, { ok: false }>): boolean {
  if (refusal !== undefined) return sameJson(asJson(refusal), asJson(ending));
  return ending.kind === 'failed' && sameJson(asJson(error), asJson(ending.error));
}

function asJson(value: AnyTermination | ErrorData): JsonValue {
  return value as unknown as JsonValue;
}
