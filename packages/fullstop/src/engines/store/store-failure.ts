import type { FullstopErrorCode } from '../../termination/errors/fullstop-error.js';

/** A failure of the store, as data that can cross to another thread. */
export interface StoreFailure {
  readonly code: FullstopErrorCode;
  readonly message: string;
}
