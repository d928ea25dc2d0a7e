import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';

// Node calls back at once when a timer is set to more.
const longestTimer = 2_147_483_647;

/** A count: a whole number above 0. */
export function wholeNumber(value: unknown, what: string, advice = ''): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw makeInvalidError(value, what, `a whole number above 0.${advice}`);
}

/** A time that timers can count. */
export function timerMilliseconds(value: unknown, what: string, least: 0 | 1 = 1): number {
  if (typeof value === 'number' && value >= least && value <= longestTimer) return value;
  throw makeInvalidError(value, what, `a number of milliseconds from ${least} to ${longestTimer}.`);
}

/** An instant, as clocks have it. */
export function instant(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw makeInvalidError(value, what, 'an instant in milliseconds since 1970.');
}

function makeInvalidError(value: unknown, what: string, expected: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `${what} is ${found(value)}; it must be ${expected}`);
}
