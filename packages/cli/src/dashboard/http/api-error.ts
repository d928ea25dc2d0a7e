import { FullstopError } from 'fullstop';
import { UsageError } from '../../command-line/usage-error.js';
import type { ApiErrorBody } from '../api/api-error.js';

/** A refusal of the API itself. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;

  constructor(message: string, { status, code, details, cause }: ApiErrorFacts) {
    super(message, { cause });
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export interface ApiErrorFacts {
  readonly status: number;
  readonly code: string;
  readonly details?: unknown;
  readonly cause?: unknown;
}

const statuses: Readonly<Record<string, number>> = {
  RUN_NOT_FOUND: 404,
  RUN_CLOSED: 409,
  RUN_ID_CONFLICT: 409,
  RESUME_CONFLICT: 409,
  LIMIT_UNCHANGED: 409,
  TURN_REFUSED: 409,
  FORK_REFUSED: 409,
  STORE_LOCKED: 503,
  STORE_IO: 503,
  STORE_READ_ONLY: 403,
  STORE_CORRUPT: 500,
  STORE_FAILED: 500,
  STORE_FULL: 507,
  STORE_GONE: 500,
  STORE_DRIVER_MISSING: 500,
  INTERNAL_DEFECT: 500,
};

export interface ApiFailure {
  readonly status: number;
  readonly body: ApiErrorBody;
}

/** Anything that was thrown, in the one form of errors. Faults of this program say nothing about its inside. */
export function toFailure(error: unknown): ApiFailure {
  if (error instanceof ApiError) return failure(error.status, error.code, error.message, error.details);
  if (error instanceof UsageError) return failure(409, 'NOT_POSSIBLE', error.message);
  if (FullstopError.is(error)) {
    const { code, message, details } = error as FullstopError & { readonly details?: unknown };
    return failure(statuses[code] ?? 400, code, message, details);
  }
  return failure(500, 'INTERNAL_DEFECT', error instanceof Error ? error.message : String(error));
}

function failure(status: number, code: string, message: string, details?: unknown): ApiFailure {
  return { status, body: { error: { code, message, ...(details !== undefined && { details }) } } };
}
