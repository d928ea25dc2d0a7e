import type { ErrorData } from '../../termination/errors/error-data.js';
import { wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import type { FailedCall, ObservedCall } from '../observation.js';
import { wasMade } from '../observe.js';

interface ErrorRounds {
  readonly count: number;
  readonly lastError: ErrorData | null;
}

const none: ErrorRounds = { count: 0, lastError: null };

/**
 * Ends the run after this many rounds in a row in which every call that was made failed. A round without calls starts anew; one of
 * which no call was made says nothing.
 */
export function consecutiveErrors(limit: number): StopCondition<'consecutive_errors'> {
  wholeLimit(limit, { builder: 'consecutiveErrors', option: 'limit' });
  return defineCondition<'consecutive_errors', ErrorRounds>({
    json: { type: 'consecutiveErrors', limit },
    kinds: ['consecutive_errors'],
    slot: 'detector',
    init: () => none,
    observe(state, { calls }) {
      if (calls === undefined) return state;
      const made = calls.filter(wasMade);
      const last = made.at(-1);
      if (last === undefined && calls.length > 0) return state;
      if (last === undefined || !made.every(isFailed)) return state.count === 0 ? state : none;
      return { count: state.count + 1, lastError: (last as FailedCall).error };
    },
    evaluate: ({ count, lastError }) =>
      count >= limit && lastError !== null ? { kind: 'consecutive_errors', limit, used: count, lastError } : undefined,
  });
}

function isFailed(call: ObservedCall): call is FailedCall {
  return !call.ok;
}
