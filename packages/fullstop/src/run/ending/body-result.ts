import { withModelFailure } from '../../models/errors/model-failure-data.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { isObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import { isInstance, StepFailed } from '../errors.js';
import type { RunEnd, UnitResult } from '../run-context.js';
import { normalise } from '../unit/normalise.js';
import { endingOfError } from './ending-of-error.js';

/** An ending together with an output. */
export function end<TEnding extends Ending>(termination: TEnding, output?: unknown): RunEnd<TEnding> {
  return output === undefined ? { termination } : { termination, output };
}

/** Reads what a body returned; nonsense becomes a failure that says so. Never throws. */
export function toUnitResult(returned: unknown): UnitResult {
  try {
    if (isObject(returned) && typeof returned['kind'] === 'string')
      return { termination: returned as unknown as AnyTermination, also: [] };
    if (isObject(returned) && isObject(returned['termination'])) {
      const { termination, also, output, notResumable } = returned as unknown as RunEnd<AnyTermination>;
      const value = normalise(output);
      const losers = Array.isArray(also) ? (also as readonly AnyTermination[]) : [];
      return {
        termination,
        also: losers,
        ...(value !== undefined && { output: value }),
        ...(typeof notResumable === 'string' && { notResumable }),
      };
    }
    return makeInvalidResult(returned);
  } catch (error) {
    return bodyFailure(error);
  }
}

function makeInvalidResult(returned: unknown): UnitResult {
  const what = returned === null || returned === undefined ? String(returned) : `a value of type ${typeof returned}`;
  const message = `The body returned ${what}; it must return a termination, or end(termination, output).`;
  const error = { name: 'InvalidResult', message, code: 'INVALID_RESULT' };
  return { termination: terminations.failed({ error, origin: 'body', errorClass: 'internal' }), also: [] };
}

/** The result of a body that threw. */
export function bodyFailure(thrown: unknown): UnitResult {
  const ofStep = isInstance(thrown, StepFailed);
  // A limit that a step could not keep to is why the body stops, if it has no answer to that.
  if (ofStep && thrown.refusal !== undefined) return { termination: thrown.refusal, also: [] };
  const error = ofStep ? thrown.data : withModelFailure(toErrorData(thrown), thrown);
  const termination = ofStep ? endingOfError(error, 'step', thrown.attempts) : endingOfError(error, 'body');
  return { termination, also: [] };
}
