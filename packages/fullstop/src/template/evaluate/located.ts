import { TemplateError } from '../template-error.js';
import { evaluation } from './evaluation.js';
import { Fault, limitFault } from './fault.js';

/** The facts that an error needs about the text that failed. */
export interface Place {
  readonly source: string;
  readonly name?: string | undefined;
  /** The whole message for a failure. */
  text(fault: Fault): string;
}

/** Runs work, and turns whatever it throws into a located `TemplateError`. */
export function locateErrors<T>(place: Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw makeLocatedError(place, error, evaluation.at);
  }
}

/** The error for something thrown while the evaluation stood at an offset of the place's source. */
export function makeLocatedError(place: Place, error: unknown, at: number): TemplateError {
  if (error instanceof TemplateError) return error;
  const fault = error instanceof Fault ? error : hostFault(error);
  const { line, column } = positionAt(place.source, at);
  const { reason, errorType, message: detail } = fault;
  const details = { reason, detail, errorType, line, column, templateName: place.name };
  return new TemplateError(place.text(fault), details, { cause: error });
}

/** The engine's own errors: too deep a recursion, too long a string; anything else is a mistake of ours. */
function hostFault(error: unknown): Fault {
  if (error instanceof RangeError) return limitFault('maximum recursion depth exceeded');
  const message = error instanceof Error ? error.message : String(error);
  return new Fault('runtime', 'InternalError', message);
}

/** The line and column of an offset, both counted from 1. */
export function positionAt(source: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let next = source.indexOf('\n'); next !== -1 && next < at; next = source.indexOf('\n', start)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: Math.max(0, Math.min(at, source.length) - start) + 1 };
}
