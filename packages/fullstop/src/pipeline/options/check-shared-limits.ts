import { checkLimits } from '../../run/limits.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { SharedLimits } from './stage-options.js';

/** Refuses limits of several stages that mean nothing. The pipeline takes steps of its own, so a limit of them would mean something else than it says. */
export function checkSharedLimits(limits: SharedLimits, where: string): void {
  checkLimits(limits, where);
  if ((limits as { readonly steps?: number }).steps === undefined) return;
  throw new FullstopError(
    'INVALID_LIMIT',
    `${where} has a limit of steps, which only a single stage can have; limit its time, tokens, cost or deadline.`,
  );
}
