import type { AbortSignalLike } from '../../engines/port/engine.js';
import { classifyModelError } from '../../models/errors/classify-model-error.js';
import { endingOfModelFailure } from '../../run/ending/ending-of-model-failure.js';
import type { Cause } from '../../stop/slots.js';
import { isObject } from '../../termination/json.js';

interface Thrown {
  readonly agent: string;
  readonly provider: string;
  readonly signal: AbortSignalLike;
}

/** The ending of a call that threw, by the same table as the model calls of our own agent. */
export function causeOfThrown(error: unknown, { agent, provider, signal }: Thrown): Cause {
  const failure = classifyModelError(error, { provider, signal });
  return { slot: 'step_error', termination: endingOfModelFailure(failure, { attempts: attemptsOf(error), agent }) };
}

/** How often the framework tried, where its error says so. */
function attemptsOf(error: unknown): number {
  const errors = isObject(error) ? (error as { readonly errors?: unknown }).errors : undefined;
  return Array.isArray(errors) && errors.length > 0 ? errors.length : 1;
}

/** A property of a value of a framework, whose getters may throw. */
export function property(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return (value as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

/** A value of a framework that is a text with something in it; undefined for any other. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The name of an error; frameworks come in several copies, so classes say nothing. */
export function nameOfError(error: unknown): string {
  const name = property(error, 'name');
  return typeof name === 'string' ? name : '';
}
