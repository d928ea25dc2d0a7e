import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { CancelRequest } from '../port/journal-entry.js';
import type { RequestAnswer } from '../port/request.js';
import { readAnswer } from './argument-readers.js';
import { Misfit } from './reader.js';
import { cancelRequest } from './request-readers.js';

/** Where a row was found, for the error that names it. */
export interface RowPlace {
  readonly table: string;
  readonly runId: string;
}

/** The wish to cancel that a row holds. Earlier versions let in any sender; that someone wished it is certain, so an operator did. */
export function readStoredCancel(place: RowPlace, data: string): CancelRequest {
  return readStored(place, () => {
    const given: unknown = JSON.parse(data);
    try {
      return cancelRequest.read(given, 'data');
    } catch (error) {
      if (error instanceof Misfit) return { by: 'operator' };
      throw error;
    }
  });
}

/** The answer that a row holds. */
export function readStoredAnswer(place: RowPlace, requestId: string, data: string): RequestAnswer {
  return readStored(place, () => readAnswer(requestId, JSON.parse(data)));
}

function readStored<T>(place: RowPlace, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw damagedRow(place, error);
  }
}

function damagedRow({ table, runId }: RowPlace, cause: unknown): FullstopError {
  const isMisfit = cause instanceof Misfit;
  const why = isMisfit
    ? `${cause.path} is ${cause.found}, and must be ${cause.expected}`
    : `it cannot be read (${cause instanceof Error ? cause.message : String(cause)})`;
  return new FullstopError(
    'STORE_CORRUPT',
    `A row of ${JSON.stringify(runId)} in the table ${table} is damaged: ${why}. Restore the run from a backup or an export.`,
    { cause, details: { table, runId, ...(isMisfit && { column: cause.path }) } },
  );
}
