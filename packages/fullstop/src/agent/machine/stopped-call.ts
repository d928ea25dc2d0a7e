import type { ErrorData } from '../../termination/errors/error-data.js';
import type { Call, ToolOutcome } from './state.js';
import { unitOutcome } from './unit-outcome.js';

// What is known of calls that a halt, or a goal, left without a result. One that had begun is never shown as skipped.

/** The outcome of a call that never began. */
export function skippedOutcome(message: string): ToolOutcome {
  return failedCall({ name: 'ToolCallSkipped', message, code: 'SKIPPED' });
}

/** The outcome of a call without a result when another one halts their round, or a limit stops it. */
export function haltedOutcome(call: Call, isLimit = false): ToolOutcome {
  // A result that was not checked yet is what came of it all the same.
  if (call.outcome !== null) return call.outcome;
  if (call.cut !== undefined || call.asked === true) return abortedOutcome(call, isLimit);
  return skippedOutcome(
    isLimit ? notBegunText : 'This call was not made: another call of the same answer halted the run.',
  );
}

/** The outcome of a call that was cut off when a limit ended its run, as far as its journal tells. A resume makes it again. */
export function cutOutcome({ asked }: Call, isBegun: boolean, isOnce: boolean): ToolOutcome {
  if (isBegun && isOnce) return unknownOutcome(true);
  return isBegun || asked === true ? abortedCall(true) : skippedOutcome(notBegunText);
}

const notBegunText = 'This call was not made: the run had reached a limit before it began.';

/** The outcome of a call that was under way as a step. */
export function stoppedOutcome(call: Call, outcomeUnknown: boolean, isLimit = false): ToolOutcome {
  return outcomeUnknown ? unknownOutcome(isLimit) : abortedOutcome(call, isLimit);
}

const byHalt = 'another call of the same answer halted the run';
const byLimit = 'the run reached a limit';

/** The outcome of a call that was under way. An agent has an ending of its own. */
function abortedOutcome(call: Call, isLimit: boolean): ToolOutcome {
  const aborted = abortedCall(isLimit);
  return call.cut === undefined ? aborted : { ...aborted, ...unitOutcome(call, call.cut) };
}

/** The outcome of a call that may happen only once, and may have happened: the journal does not know either. */
function unknownOutcome(isLimit: boolean): ToolOutcome {
  const message = `This call was under way when ${isLimit ? byLimit : byHalt}. It is not known whether it happened.`;
  return failedCall({ name: 'OutcomeUnknown', message, code: 'OUTCOME_UNKNOWN' });
}

function abortedCall(isLimit: boolean): ToolOutcome {
  const message = `This call was under way when ${isLimit ? byLimit : byHalt}. It was aborted, and how far it had come is not known.`;
  return failedCall({ name: 'ToolCallAborted', message, code: 'ABORTED' });
}

function failedCall(error: ErrorData): ToolOutcome {
  return { output: { type: 'error-text', value: error.message }, error };
}
