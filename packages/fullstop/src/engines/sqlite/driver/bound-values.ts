import { found } from '../../../termination/check.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { isStorable } from '../../../termination/text/storable-text.js';

/**
 * Returns the values of a statement if SQLite keeps them as they are. The native driver ends the whole process for a
 * value of another type, takes NaN for null, and changes a text that is not UTF-8: none of them may reach it.
 */
export function boundValues<TValue>(values: readonly TValue[]): readonly TValue[] {
  for (let index = 0; index < values.length; index += 1) {
    if (!isBindable(values[index])) throw unbindable(values[index], index);
  }
  return values;
}

function isBindable(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  return value === null || (typeof value === 'number' && Number.isFinite(value));
}

function unbindable(value: unknown, index: number): FullstopError {
  return new FullstopError(
    'STORE_FAILED',
    `Value ${index + 1} of a statement is ${found(value)}; SQLite is given whole texts without NUL, finite numbers and null only. Nothing was written.`,
    { issues: [{ code: 'invalid', path: `[${index}]`, message: `found ${found(value)}` }] },
  );
}
