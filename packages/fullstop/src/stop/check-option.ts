import { found } from '../termination/check.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject } from '../termination/json.js';
import { isStorable } from '../termination/text/storable-text.js';
import { suggestion } from '../termination/text/suggestion.js';

/** Which option of which builder is looked at. */
export interface OptionPlace {
  readonly builder: string;
  readonly option: string;
}

/** A count that limits something. */
export function wholeLimit(value: unknown, place: OptionPlace, least = 1): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw invalidLimit(value, place, least === 1 ? 'a whole number above 0' : `a whole number of ${least} or more`);
}

/** An amount that limits something. */
export function positiveLimit(value: unknown, place: OptionPlace): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw invalidLimit(value, place, 'a number above 0');
}

export function invalidLimit(value: unknown, place: OptionPlace, expected: string): FullstopError {
  const advice = value === 0 ? ' 0 does not mean "no limit": leave it out for that.' : '';
  return invalid('INVALID_LIMIT', value, place, `${expected}.${advice}`);
}

export function invalidOption(value: unknown, place: OptionPlace, expected: string): FullstopError {
  return invalid('INVALID_OPTION', value, place, `${expected}.`);
}

/** Text with at least one character. */
export function someText(value: unknown, place: OptionPlace): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidOption(value, place, 'a text that is not empty');
}

/** Text that names something in the journal: every store must return it as it was. */
export function someName(value: unknown, place: OptionPlace): string {
  const text = someText(value, place);
  if (isStorable(text)) return text;
  throw invalidOption(value, place, 'a text without NUL and without half of a surrogate pair');
}

/** Code that is called later: what is none would be found out only then. */
export function someFunction(value: unknown, place: OptionPlace): void {
  if (typeof value !== 'function') throw invalidOption(value, place, 'a function');
}

/** Yes or no, and nothing that could be taken for either. */
export function trueOrFalse(value: unknown, place: OptionPlace): void {
  if (typeof value !== 'boolean') throw invalidOption(value, place, 'true or false');
}

/** One of several words; a misspelt one would mean something else. */
export function oneWord<TWord extends string>(value: unknown, place: OptionPlace, words: readonly TWord[]): TWord {
  if (words.includes(value as TWord)) return value as TWord;
  const hint = typeof value === 'string' ? suggestion(value, words) : '';
  throw invalidOption(value, place, `${words.map((word) => JSON.stringify(word)).join(' or ')}${hint}`);
}

/** The options themselves; an unknown one is refused, because a misspelt limit would be no limit. */
export function checkOptions<TOptions extends object>(
  options: TOptions,
  builder: string,
  known: readonly (keyof TOptions & string)[],
): TOptions {
  if (!isObject(options)) throw invalidOption(options, { builder, option: '' }, `an object with ${known.join(', ')}`);
  for (const option of Object.keys(options)) {
    if ((known as readonly string[]).includes(option)) continue;
    const hint = suggestion(option, known);
    throw new FullstopError(
      'INVALID_OPTION',
      `${builder} has no option ${JSON.stringify(option)}${hint}; there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}.`,
      { issues: [{ code: 'unknown_field', path: option, message: `unknown option of ${builder}${hint}` }] },
    );
  }
  return options;
}

function invalid(
  code: 'INVALID_LIMIT' | 'INVALID_OPTION',
  value: unknown,
  { builder, option }: OptionPlace,
  rest: string,
): FullstopError {
  const what = option === '' ? builder : `${builder}: ${option}`;
  return new FullstopError(code, `${what} is ${found(value)}; it must be ${rest}`, {
    issues: [
      {
        code: value === undefined ? 'missing' : 'invalid',
        path: option,
        message: `${value === undefined ? 'missing' : `found ${found(value)}`}, expected ${rest.replace(/\.$/, '')}`,
      },
    ],
  });
}
