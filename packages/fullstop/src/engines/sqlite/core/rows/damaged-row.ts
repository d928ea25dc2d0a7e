import { FullstopError } from '../../../../termination/errors/fullstop-error.js';
import { storeFailureOf } from '../../store-error.js';

/** Something in the file is not what was written. */
export function damagedRow(reason: string): FullstopError {
  return new FullstopError(
    'STORE_CORRUPT',
    `The store is damaged: ${reason}. fullstop verify --all shows what else is.`,
  );
}

/** True when it is the file that is damaged, and not its disk or a lock that is in the way. */
export function isDamage(error: unknown): error is Error {
  return storeFailureOf(error, '').code === 'STORE_CORRUPT';
}
