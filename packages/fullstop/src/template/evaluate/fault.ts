import type { TemplateErrorReason } from '../template-error.js';

/** A failure inside an evaluation that does not know its place yet; it becomes a `TemplateError` at the edge. */
export class Fault extends Error {
  readonly reason: TemplateErrorReason;
  readonly errorType: string;

  constructor(reason: TemplateErrorReason, errorType: string, message: string) {
    super(message);
    this.name = 'Fault';
    this.reason = reason;
    this.errorType = errorType;
  }
}

/** A failure that Python reports under the given name. */
export function runtimeFault(errorType: string, message: string): Fault {
  return new Fault('runtime', errorType, message);
}

export function typeFault(message: string): Fault {
  return new Fault('runtime', 'TypeError', message);
}

export function valueFault(message: string): Fault {
  return new Fault('runtime', 'ValueError', message);
}

export function undefinedFault(message: string): Fault {
  return new Fault('undefined', 'UndefinedError', message);
}

/** More work or memory than one evaluation may use. */
export function limitFault(message: string): Fault {
  return new Fault('limit', 'LimitError', message);
}

/** Something that is refused because it would reach outside the language. */
export function securityFault(message: string): Fault {
  return new Fault('security', 'SecurityError', message);
}

export function zeroDivisionFault(message: string): Fault {
  return new Fault('runtime', 'ZeroDivisionError', message);
}
