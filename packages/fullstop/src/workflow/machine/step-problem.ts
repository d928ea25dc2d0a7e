import { TemplateError } from '../../template/template-error.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { Failed } from '../../termination/kinds/error.js';

/** The classes of failures that the workflow itself raises; the names are those of the reference. */
export type ProblemName = 'ExecutionError' | 'KeyError' | 'TemplateError' | 'ValidationError' | 'ValueError';

/** A failure of a step that its author or its data caused, not the engine. */
export class StepProblem extends Error {
  readonly errorClass: Failed['errorClass'];
  readonly code: string | undefined;

  constructor(name: ProblemName, message: string, details: StepProblemDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = name;
    this.errorClass = details.errorClass ?? 'configuration';
    this.code = details.code;
    // The place in our own code says nothing about the file, and it would be in the journal.
    Object.defineProperty(this, 'stack', { value: undefined, configurable: true, writable: true });
  }
}

export interface StepProblemDetails {
  readonly errorClass?: Failed['errorClass'];
  readonly code?: string;
  readonly cause?: unknown;
}

/** A failure as the journal holds it. */
export interface Problem {
  readonly error: ErrorData;
  readonly errorClass: Failed['errorClass'];
}

/** The failure in what was thrown, if it is one of a step; anything else is a defect and thrown on. */
export function problemIn(thrown: unknown): Problem {
  if (thrown instanceof StepProblem) {
    const { name, message, code, errorClass } = thrown;
    return { error: { name, message, ...(code !== undefined && { code }) }, errorClass };
  }
  if (thrown instanceof TemplateError) {
    const { message, line, column, templateName } = thrown;
    const place = `${templateName ?? 'template'}:${line}:${column}`;
    return { error: { name: 'TemplateError', message, code: place }, errorClass: 'configuration' };
  }
  throw thrown;
}

/** The result of a function, or how it failed. */
export function attempt<T>(perform: () => T): { readonly value: T } | { readonly problem: Problem } {
  try {
    return { value: perform() };
  } catch (thrown) {
    return { problem: problemIn(thrown) };
  }
}
