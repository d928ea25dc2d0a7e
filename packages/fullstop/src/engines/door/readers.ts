import { at } from '../../termination/check.js';
import { defaultLimits, isPlain } from '../../termination/codec/measure.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import { isStorable } from '../../termination/text/storable-text.js';
import { define, Misfit, type Reader, scalar, seenFrom } from './reader.js';

/** A text that every store returns as it was: an id, a name, a key. */
export const label: Reader<string> = scalar(
  'a text without NUL and without half of a surrogate pair',
  (value) => typeof value === 'string' && isStorable(value),
);

/** A label that says something. */
export const name: Reader<string> = scalar(
  'a text that is not empty, without NUL and without half of a surrogate pair',
  (value) => typeof value === 'string' && value !== '' && isStorable(value),
);

/** Text that is kept inside JSON, which can hold any. */
export const anyText: Reader<string> = scalar('a text', (value) => typeof value === 'string');

export const flag: Reader<boolean> = scalar('true or false', (value) => typeof value === 'boolean');

/** A count of what there may be none of. */
export const count: Reader<number> = scalar(
  'a whole number of 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);

/** A count or a place that begins at 1. */
export const whole: Reader<number> = scalar(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);

export const integer: Reader<number> = scalar('a whole number', (value) => Number.isSafeInteger(value));

/** The furthest that a date can be from 1970. */
const furthest = 8.64e15;

export const instant: Reader<number> = scalar(
  'an instant in milliseconds since 1970',
  (value) => typeof value === 'number' && Math.abs(value) <= furthest,
);

export const amount: Reader<number> = scalar(
  'a number of 0 or more',
  (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
);

/** A SHA-256 in hexadecimal digits. */
export const hash: Reader<string> = scalar(
  'a hash of 64 hexadecimal digits',
  (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
);

export function oneOf<const T extends string>(...words: readonly T[]): Reader<T> {
  const allowed = new Set<unknown>(words);
  return scalar(`one of ${words.map((word) => JSON.stringify(word)).join(', ')}`, (value) => allowed.has(value));
}

/** Code or a thing with methods, which is passed on as it is. */
export function having<T>(expected: string, ...methods: readonly string[]): Reader<T> {
  return scalar(expected, (value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
    return methods.every((method) => typeof (value as Readonly<Record<string, unknown>>)[method] === 'function');
  });
}

/** Reads a value that may also be null. */
export function orNull<T>({ expected, read }: Reader<T>): Reader<T | null> {
  return {
    expected: `${expected}, or null`,
    read: (value, path, trusted) => (value === null ? null : read(value, path, trusted)),
  };
}

export const callback: Reader<never> = scalar('a function', (value) => typeof value === 'function');

// Values of users have at most so many levels; an entry and its envelope are a few more around them.
const deepest = 2 * defaultLimits.depth;

/** A copy of a JSON value: whatever its owner does to it later, or a getter in it returns the next time, has no effect. */
export const json: Reader<JsonValue> = {
  expected: 'a JSON value',
  read: (value, path, trusted) => (trusted === true ? (value as JsonValue) : copyJson(value, path, 1)),
};

export const jsonObject: Reader<JsonObject> = {
  expected: 'a JSON object',
  read(value, path, trusted) {
    if (!isObject(value)) throw new Misfit(path, value, 'a JSON object');
    return json.read(value, path, trusted) as JsonObject;
  },
};

function copyJson(value: unknown, path: string, depth: number): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') throw new Misfit(path, value, 'a JSON value');
  if (depth > deepest) throw new Misfit(path, value, `at most ${deepest} levels deep, and not a cycle`);
  if (!isPlain(value)) throw new Misfit(path, value, 'a JSON value, which has no class');
  let place: string | number = '';
  try {
    if (Array.isArray(value)) {
      return Array.from(value, (member, index) => {
        place = index;
        return copyJson(member, '', depth + 1);
      });
    }
    const result: Record<string, JsonValue> = {};
    for (place of Object.keys(value)) {
      const member = (value as Readonly<Record<string, unknown>>)[place];
      // JSON leaves it out.
      if (member !== undefined) define(result, place, copyJson(member, '', depth + 1));
    }
    return result;
  } catch (error) {
    throw seenFrom(at(path, place), error);
  }
}
