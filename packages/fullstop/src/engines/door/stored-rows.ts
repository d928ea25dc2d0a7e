import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { OutboxItem, RunState } from '../port/engine.js';
import type { CancelRequest } from '../port/journal-entry.js';
import type { RequestAnswer } from '../port/request.js';
import { readAnswer } from './argument-readers.js';
import { entryType } from './entry-readers.js';
import { Misfit, optional, type Reader, record } from './reader.js';
import { anyText, count, hash, instant, integer, label, name, oneOf, whole } from './readers.js';
import { cancelRequest } from './request-readers.js';

/** The columns that every store keeps, whatever it calls them. Null stands for nothing, as stores have it. */
interface StoredRows {
  readonly run: {
    readonly runId: string;
    readonly name: string;
    readonly version: string;
    readonly state: RunState;
    readonly segment: number;
    readonly startedAt: number;
    readonly wakeAt?: number;
  };
  readonly entry: {
    readonly segment: number;
    readonly seq: number;
    readonly scope: string;
    readonly ordinal: number;
    readonly at: number;
    readonly type: string;
    readonly key?: string;
    readonly data: string;
    readonly hash: string;
  };
  readonly message: {
    readonly type: 'answer' | 'cancel';
    readonly request?: string;
    readonly at: number;
    readonly data: string;
  };
  readonly notice: Omit<OutboxItem, 'headHash'>;
}

/** What the rows of a store must look like when they are read back. */
const storedRows: { readonly [TRow in keyof StoredRows]: Reader<StoredRows[TRow]> } = {
  run: record<StoredRows['run']>(
    {
      runId: name,
      name,
      version: label,
      state: oneOf('ready', 'running', 'parked', 'ended'),
      segment: whole,
      startedAt: instant,
      wakeAt: optional(instant),
    },
    'ignored',
  ),
  entry: record<StoredRows['entry']>(
    {
      segment: whole,
      seq: whole,
      scope: label,
      ordinal: integer,
      at: instant,
      type: entryType,
      key: optional(label),
      data: anyText,
      hash,
    },
    'ignored',
  ),
  message: record<StoredRows['message']>(
    { type: oneOf('answer', 'cancel'), request: optional(name), at: instant, data: anyText },
    'ignored',
  ),
  notice: record<StoredRows['notice']>(
    {
      id: name,
      runId: name,
      segment: whole,
      target: label,
      payload: anyText,
      attempts: count,
      dueAt: instant,
    },
    'ignored',
  ),
};

/** Where a row was found, for the error that names it. */
export interface RowPlace {
  readonly table: string;
  readonly runId: string;
}

/** Refuses a row that nobody could have written as it is. */
export function checkRow<TRow extends keyof StoredRows>(
  kind: TRow,
  place: RowPlace,
  row: { readonly [P in keyof StoredRows[TRow]]: unknown },
): void {
  readStored(place, () => storedRows[kind].read(withoutNulls(row), ''));
}

function withoutNulls(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
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
