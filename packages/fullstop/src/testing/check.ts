import type { Ending } from '../termination/ending.js';
import { FullstopError, type FullstopErrorCode } from '../termination/errors/fullstop-error.js';
import { canonicalJson } from '../termination/text/canonical-json.js';

/** Thrown when an engine does not do what every engine must do. */
export class ConformanceFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConformanceFailure';
  }
}

/** Fails a conformance case unless the condition holds. */
export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ConformanceFailure(message);
}

/** Compares as JSON: the order of keys does not matter, and undefined properties are none. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [textOf(actual), textOf(expected)];
  if (found !== wanted) throw new ConformanceFailure(`${what}: expected ${wanted}, found ${found}`);
}

/** Checks that something is there, and returns it. */
export function checkPresent<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new ConformanceFailure(`${what} is missing`);
  return value;
}

/** Checks that an ending is of a kind, and returns it. */
export function checkKind<TEnding extends Ending, TKind extends TEnding['kind']>(
  termination: TEnding,
  kind: TKind,
): Extract<TEnding, { readonly kind: TKind }> {
  if (termination.kind === kind) return termination as Extract<TEnding, { readonly kind: TKind }>;
  throw new ConformanceFailure(`the ending: expected ${kind}, found ${textOf(termination)}`);
}

/** Checks that a call is refused with a code, and returns the error. */
export async function checkRefused(call: Promise<unknown>, code: FullstopErrorCode): Promise<FullstopError> {
  try {
    await call;
  } catch (error) {
    if (FullstopError.is(error) && error.code === code) return error;
    throw new ConformanceFailure(`expected a refusal with ${code}, found ${String(error)}`, { cause: error });
  }
  throw new ConformanceFailure(`expected a refusal with ${code}, but the call went through`);
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : canonicalJson(value);
}
