import type { ErrorData } from '../../termination/errors/error-data.js';
import type { Call, ToolOutcome } from './state.js';
import { unitOutcome } from './unit-outcome.js';

// What is known of calls that a halt, or a goal, left without a result. One that had begun is never shown as skipped.

/** The outcome of a call that never began. */
export function skippedOutcome(message: string): ToolOutcome {
  return failedCall({ name: 'ToolCallSkipped', message, code: 'SKIPPED' });
}

/** The outcome of a call without a result when another one halts their round. */
export function haltedOutcome(call: Call): ToolOutcome {
  // A result that was not checked yet is what came of it all the same.
  if (call.outcome !== null) return call.outcome;
  if (call.cut !== undefined || call.asked === true) return abortedOutcome(call);
  return skippedOutcome('This call was not made: another call of the same answer halted the run.');
}

/** The outcome of a call that was under way as a step. */
export function stoppedOutcome(call: Call, outcomeUnknown: boolean): ToolOutcome {
  return outcomeUnknown ? unknownOutcome() : abortedOutcome(call);
}

/** The outcome of a call that was under way. An agent has an ending of its own. */
function abortedOutcome(call: Call): ToolOutcome {
  const message =
    'This call was under way when another call of the same answer halted the run. It was aborted, and how far it had come is not known.';
  const aborted = failedCall({ name: 'ToolCallAborted', message, code: 'ABORTED' });
  return call.cut === undefined ? aborted : { ...aborted, ...unitOutcome(call, call.cut) };
}

/** The outcome of a call that may happen only once, and may have happened: the journal does not know either. */
function unknownOutcome(): ToolOutcome {
  const message =
    'This call was under way when another call of the same answer halted the run. It is not known whether it happened.';
  return failedCall({ name: 'OutcomeUnknown', message, code: 'OUTCOME_UNKNOWN' });
}

function failedCall(error: ErrorData): ToolOutcome {
  return { output: { type: 'error-text', value: error.message }, error };
}
