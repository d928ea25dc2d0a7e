import { isMarked, putMark } from './marked.js';

const mark: symbol = Symbol.for('fullstop.error');

/** The stable codes of errors that are thrown for misuse, before a run has started or by a codec. */
export type FullstopErrorCode =
  | 'ASYNC_SCHEMA'
  | 'DUPLICATE_KIND'
  | 'ENDING_NOT_DECLARED'
  | 'INVALID_ANSWER'
  | 'INVALID_DISCRIMINANT'
  | 'INVALID_JOURNAL'
  | 'INVALID_KIND'
  | 'INVALID_LIMIT'
  | 'INVALID_OPTION'
  | 'INVALID_SCRIPT'
  | 'INVALID_SIGNATURE'
  | 'INVALID_TERMINATION'
  | 'INVALID_WORKFLOW'
  | 'LIMIT_UNCHANGED'
  | 'MODEL_KEY_MISSING'
  | 'MODEL_PACKAGE_MISSING'
  | 'NOT_JSON'
  | 'NO_MATCHING_ARM'
  | 'RESUME_CONFLICT'
  | 'RUN_CLOSED'
  | 'RUN_ID_CONFLICT'
  | 'RUN_NOT_FOUND'
  | 'SCRIPT_EXHAUSTED'
  | 'STORE_CLOSED'
  | 'STORE_CORRUPT'
  | 'STORE_DRIVER_MISSING'
  | 'STORE_FAILED'
  | 'STORE_FULL'
  | 'STORE_IO'
  | 'STORE_LOCKED'
  | 'STORE_NEWER'
  | 'STORE_NOT_A_DATABASE'
  | 'STORE_READ_ONLY'
  | 'UNKNOWN_PRICE'
  | 'UNKNOWN_WORD'
  | 'UNREGISTERED_TERMINATION'
  | 'UNSUPPORTED_MODEL';

/** One thing that is wrong with a value, and where. */
export interface Issue {
  readonly code: 'invalid' | 'missing' | 'unknown_field' | 'unknown_kind';
  /** Dotted path into the value, empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Thrown for misuse only: whatever happens inside a run becomes its termination instead. */
export class FullstopError extends Error {
  readonly code: FullstopErrorCode;
  readonly issues: readonly Issue[];

  constructor(code: FullstopErrorCode, message: string, options: ErrorOptions & { issues?: readonly Issue[] } = {}) {
    super(message, options);
    this.name = 'FullstopError';
    this.code = code;
    this.issues = options.issues ?? [];
    putMark(this, mark);
  }

  /** Recognises the error by its mark, which works across copies of the library; `instanceof` does the same. */
  static is(value: unknown): value is FullstopError {
    return isMarked(value, mark);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, mark);
  }
}
