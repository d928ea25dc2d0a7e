import { found } from '../termination/check.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';

/** For what a rule returned that says neither yes nor no: to take it for one of them could promote what nobody allowed. */
export function wrongVerdict(rule: string, said: unknown, expected: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `${rule} returned ${found(said)}; it must return ${expected}.`);
}

/** The verdict of a callback that says yes or no. */
export function yesOrNo(rule: string, said: unknown): boolean {
  if (typeof said === 'boolean') return said;
  throw wrongVerdict(rule, said, 'true or false');
}
