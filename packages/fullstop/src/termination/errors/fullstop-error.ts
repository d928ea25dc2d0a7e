import type { JsonObject } from '../json.js';
import { isMarked, putMark } from './marked.js';

const mark: symbol = Symbol.for('fullstop.error');

/**
 * The stable codes of errors that are thrown for misuse, before a run has started or by a codec. `INTERNAL_DEFECT` is the
 * exception: nothing that a caller does may lead to it, so it is a bug of this library or of a machine that runs on it.
 */
export type FullstopErrorCode =
  | 'ASYNC_SCHEMA'
  | 'CONTEXT_INVALID'
  | 'CONTEXT_MISSING'
  | 'DUPLICATE_KIND'
  | 'ENDING_NOT_DECLARED'
  | 'FORK_REFUSED'
  | 'INTERNAL_DEFECT'
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
  | 'STORE_GONE'
  | 'STORE_IO'
  | 'STORE_LOCKED'
  | 'STORE_MOVED'
  | 'STORE_NEWER'
  | 'STORE_NOT_A_DATABASE'
  | 'STORE_READ_ONLY'
  | 'TURN_REFUSED'
  | 'UNKNOWN_PRICE'
  | 'UNKNOWN_WORD'
  | 'UNREGISTERED_TERMINATION'
  | 'UNSUPPORTED_MODEL';

/** One thing that is wrong with a value, and where. */
export interface ValueIssue {
  readonly code: 'invalid' | 'missing' | 'unknown_field' | 'unknown_kind';
  /** Dotted path into the value, empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** The facts that come with an error, by its code; other codes may have details too, of no fixed form. */
export interface FullstopErrorDetails {
  readonly FORK_REFUSED: {
    readonly runId: string;
    readonly reason: string;
    /** The nearest entries around it where a fork is possible. */
    readonly before?: number;
    readonly after?: number;
  };
  readonly LIMIT_UNCHANGED: {
    /** The option of the resume that has to change, such as `limits.tokens`, `budgets.cycles` or `maxIterations`. */
    readonly option: string;
    /** The new value must be above this one. */
    readonly used?: number;
    /** The request whose deadline has passed. */
    readonly requestId?: string;
    readonly runId?: string;
    /** Why the run ended, as a sentence. */
    readonly summary?: string;
  };
  readonly MODEL_KEY_MISSING: { readonly provider: string; readonly variables: readonly string[] };
  readonly MODEL_PACKAGE_MISSING: { readonly provider: string; readonly package: string };
  readonly TURN_REFUSED: {
    /** `superseded`: a later turn was started; `taken`: somebody started this one first; `changed`: its messages are out of date. */
    readonly reason: 'running' | 'paused' | 'taken' | 'changed' | 'superseded';
    /** The run in the way. */
    readonly runId: string;
    readonly conversation?: string;
  };
}

type DetailsOf<Code extends FullstopErrorCode> = Code extends keyof FullstopErrorDetails
  ? FullstopErrorDetails[Code]
  : JsonObject;

/** Thrown for misuse only: whatever happens inside a run becomes its termination instead. */
export class FullstopError<Code extends FullstopErrorCode = FullstopErrorCode> extends Error {
  readonly code: Code;
  readonly issues: readonly ValueIssue[];
  /** The facts of the message as plain data, for programs that say it in words of their own. */
  readonly details: DetailsOf<Code> | undefined;

  constructor(
    code: Code,
    message: string,
    options: ErrorOptions & { issues?: readonly ValueIssue[]; details?: DetailsOf<Code> } = {},
  ) {
    super(message, options);
    this.name = 'FullstopError';
    this.code = code;
    this.issues = options.issues ?? [];
    this.details = options.details;
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
