import { FullstopError } from '../termination/errors/fullstop-error.js';

/** The error for a payload that is not of the foreign type. */
export function badPayload(name: string, member: string, expected: string): FullstopError {
  return new FullstopError('UNKNOWN_WORD', `${name}: ${member} must be ${expected}.`);
}
