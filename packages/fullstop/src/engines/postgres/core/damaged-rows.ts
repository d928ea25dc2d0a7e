import { FullstopError } from '../../../termination/errors/fullstop-error.js';

/** Thrown where what is stored cannot be what was written. */
export function damagedRows(reason: string): FullstopError {
  return new FullstopError('STORE_CORRUPT', reason);
}

/** True for damage of one run, which must not keep others from being executed. */
export function isDamage(error: unknown): error is FullstopError {
  return FullstopError.is(error) && error.code === 'STORE_CORRUPT';
}
