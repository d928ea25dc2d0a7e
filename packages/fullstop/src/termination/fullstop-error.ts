const marker: unique symbol = Symbol.for('fullstop.error');

/** The stable codes of errors that are thrown for misuse, before a run has started or by a codec. */
export type FullstopErrorCode =
  | 'ASYNC_SCHEMA'
  | 'DUPLICATE_KIND'
  | 'INVALID_DISCRIMINANT'
  | 'INVALID_KIND'
  | 'INVALID_TERMINATION'
  | 'NO_MATCHING_ARM'
  | 'UNKNOWN_WORD'
  | 'UNREGISTERED_TERMINATION';

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
    // Not enumerable, so that printing and comparing errors shows only what matters.
    Object.defineProperty(this, marker, { value: true });
  }

  /** Recognises the error by its marker, which works across two installed copies, unlike instanceof. */
  static is(value: unknown): value is FullstopError {
    try {
      return typeof value === 'object' && value !== null && marker in value;
    } catch {
      // A thrown value may be a proxy whose traps throw: it is not ours.
      return false;
    }
  }
}
