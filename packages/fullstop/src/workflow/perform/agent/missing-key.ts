import type { Ending } from '../../../termination/ending.js';
import { FullstopError, type FullstopErrorDetails } from '../../../termination/errors/fullstop-error.js';
import { terminations } from '../../../termination/terminations.js';

/** The ending of a step that a run has reached without the key of its model, which is that of a key that is refused; undefined for any other error. */
export function endingOfMissingKey(error: unknown): Ending | undefined {
  if (!FullstopError.is(error) || error.code !== 'MODEL_KEY_MISSING') return undefined;
  const { provider = '' } = (error.details ?? {}) as Partial<FullstopErrorDetails['MODEL_KEY_MISSING']>;
  return terminations.providerAuth({ provider, message: error.message });
}
