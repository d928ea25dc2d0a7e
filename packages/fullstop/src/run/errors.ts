import type { CancelRequest } from '../engines/port/journal-entry.js';
import type { ErrorData } from '../termination/errors/error-data.js';
import { isMarked, putMark } from '../termination/errors/marked.js';
import type { AnyTermination } from '../termination/kinds.js';

const stepFailedMark: symbol = Symbol.for('fullstop.step-failed');
const cancelledMark: symbol = Symbol.for('fullstop.run-cancelled');

interface StepFailure {
  readonly attempts: number;
  readonly outcomeUnknown?: boolean;
  readonly refusal?: AnyTermination;
}

/** Thrown into a body whose step failed; the same the first time and on every replay, because it is made from the journal. */
export class StepFailed extends Error {
  readonly key: string;
  readonly data: ErrorData;
  readonly attempts: number;
  /** The effect of a once-step was started and its outcome was lost. */
  readonly outcomeUnknown: boolean;
  /**
   * Set when a budget had no room for what the step may use, so that its effect was not performed: the ending that a body
   * comes to which lets this pass. The limit, or `cancelled` by the parent with the limit of an ancestor as its cause.
   */
  readonly refusal: AnyTermination | undefined;

  constructor(key: string, data: ErrorData, options: StepFailure) {
    super(data.message);
    this.name = 'StepFailed';
    putMark(this, stepFailedMark);
    this.key = key;
    this.data = data;
    this.attempts = options.attempts;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
    this.refusal = options.refusal;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, stepFailedMark);
  }
}

/** Recognises an error of ours among whatever a body has thrown: even asking what it is may throw. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** Thrown into a body that is being cancelled, at its next step, sleep or wait. */
export class RunCancelled extends Error {
  readonly request: CancelRequest;

  constructor(request: CancelRequest) {
    super(`The run is being cancelled by ${request.by}${request.reason === undefined ? '' : `: ${request.reason}`}.`);
    this.name = 'RunCancelled';
    putMark(this, cancelledMark);
    this.request = request;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, cancelledMark);
  }
}
