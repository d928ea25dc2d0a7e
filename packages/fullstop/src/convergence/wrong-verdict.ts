import { found } from '../termination/check.js';
import { FullstopError } from '../termination/fullstop-error.js';

/** For what a rule returned that says neither yes nor no: to take it for one of them could promote what nobody allowed. */
export function wrongVerdict(rule: string, said: unknown, expected: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `${rule} returned ${found(said)}; it must return ${expected}.`);
}
