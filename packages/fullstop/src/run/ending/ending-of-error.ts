import { modelFailureIn } from '../../models/errors/model-failure-data.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { Failed } from '../../termination/kinds/error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import { classifyError } from './classify-error.js';
import { endingOfModelFailure } from './ending-of-model-failure.js';

/** The ending that an error of a user's own code means: the provider's, where a client of models threw it, and else a failure. */
export function endingOfError(error: ErrorData, origin: Failed['origin'], attempts = 1): AnyTermination {
  const failure = modelFailureIn(error);
  if (failure !== undefined) return endingOfModelFailure(failure, { attempts, origin }) as AnyTermination;
  return terminations.failed({ error, origin, errorClass: classifyError(error) });
}
