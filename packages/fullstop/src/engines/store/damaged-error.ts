import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { Damage } from './operations.js';

/** Thrown where a run was set aside: nobody is told something of it that may not be so. */
export function damagedError({ runId, seq, reason }: Damage, options: ErrorOptions = {}): FullstopError {
  const where = seq === 0 ? 'Look at it with fullstop verify' : `Look at its entries from ${seq} on`;
  return new FullstopError(
    'STORE_CORRUPT',
    `What is stored of ${runId} cannot be trusted: ${reason}. The run is set aside and not executed; others continue. Restore it from a backup or an export. ${where}.`,
    { ...options, details: { runId, seq, reason } },
  );
}
