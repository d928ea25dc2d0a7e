import { toErrorData } from '../../termination/errors/to-error-data.js';

/** Asks a rule of the user and waits for its answer; what it throws says whose it is. */
export async function callRule<T>(rule: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw thrownBy(rule, error);
  }
}

/** The error that a rule threw, with the rule in front of its message and the error itself as the cause. */
export function thrownBy(rule: string, thrown: unknown): Error {
  const { name, message, code } = toErrorData(thrown);
  const error = new Error(`${rule} failed: ${message}`, { cause: thrown });
  return Object.assign(error, { name, ...(code !== undefined && { code }) });
}
