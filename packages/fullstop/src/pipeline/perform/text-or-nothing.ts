import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';

/** The reason that a callback returns, or nothing. True and an empty text would say neither, and could mean both. */
export function textOrNothing(said: unknown, callback: string): string | undefined {
  if (typeof said === 'string' && said.trim() !== '') return said;
  if (said === undefined || said === null || said === false) return undefined;
  throw new FullstopError(
    'INVALID_OPTION',
    `${callback} returned ${found(said)}; it must return a text that says why, or false, null or nothing.`,
  );
}
