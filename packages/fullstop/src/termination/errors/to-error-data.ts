import { measure } from '../codec/measure.js';
import type { JsonObject, JsonValue } from '../json.js';
import { cutText, grouped, listed } from '../text/wording.js';
import type { ErrorData } from './error-data.js';

/** Options of `toErrorData`: how much of an error is kept. */
export interface ErrorDataOptions {
  /** Whether to keep stacks; they name files of this machine. True unless given. */
  readonly stack?: boolean;
  /** Whether to keep the errors' own fields. True unless given. */
  readonly data?: boolean;
}

const longestMessage = 10_000;
const longestStack = 10_000;
const longestWord = 200;
/** Of all texts together, so that even escaped six to one the whole stays below the limit of a termination. */
const mostCharacters = 100_000;
const mostCauses = 10;
const mostErrors = 50;
const mostFields = 20;
const fieldLimits = { depth: 10, bytes: 4_000 } as const;
/** Fields with a place of their own in the data. */
const standardFields: ReadonlySet<string> = new Set([
  'name',
  'message',
  'stack',
  'code',
  'cause',
  'errors',
  '__proto__',
]);
const smallObject = { depth: 20, bytes: 1_000 } as const;

/** Turns anything that was thrown into data. Never throws, for any value at all. */
export function toErrorData(thrown: unknown, options: ErrorDataOptions = {}): ErrorData {
  return new Converter(options).convert(thrown, 0);
}

class Converter {
  readonly #withStack: boolean;
  readonly #withData: boolean;
  /** The errors around the current one: returning to one of them is a circle, sharing a cause is not. */
  readonly #above = new Set<unknown>();
  #converted = 0;
  #charactersLeft = mostCharacters;

  constructor({ stack = true, data = true }: ErrorDataOptions) {
    this.#withStack = stack;
    this.#withData = data;
  }

  convert(thrown: unknown, depth: number): ErrorData {
    this.#converted += 1;
    if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null)
      return this.#nonError(primitiveText(thrown));
    const message = this.#text(read(thrown, 'message'), longestMessage);
    if (message === undefined && !isErrorLike(thrown)) return this.#nonError(`${objectText(thrown)} was thrown`);
    const name = this.#text(read(thrown, 'name'), longestWord);
    const code = this.#text(codeOf(thrown), longestWord);
    const stack = this.#withStack ? this.#text(read(thrown, 'stack'), longestStack) : undefined;
    const data = this.#withData ? this.#dataOf(thrown) : undefined;
    this.#above.add(thrown);
    const cause = this.#causeOf(thrown, depth);
    const errors = this.#errorsOf(thrown, depth);
    this.#above.delete(thrown);
    return {
      name: name === undefined || name === '' ? 'Error' : name,
      message: message ?? '',
      ...(code !== undefined && { code }),
      ...(stack !== undefined && { stack }),
      ...(data !== undefined && { data }),
      ...(cause !== undefined && { cause }),
      ...(errors !== undefined && { errors }),
    };
  }

  #causeOf(thrown: object, depth: number): ErrorData | undefined {
    const cause = read(thrown, 'cause');
    if (cause === undefined || cause === null) return undefined;
    if (this.#above.has(cause)) return circle;
    if (depth >= mostCauses || this.#converted >= mostErrors)
      return { name: 'CutCause', message: '[cut: more causes]' };
    return this.convert(cause, depth + 1);
  }

  /** The fields that the thrower gave the error: evidence such as an order's id. Whatever is no JSON is left out. */
  #dataOf(thrown: object): JsonObject | undefined {
    const kept: Record<string, JsonValue> = {};
    let count = 0;
    for (const key of ownKeys(thrown)) {
      if (standardFields.has(key)) continue;
      const value = this.#fieldOf(read(thrown, key));
      if (value === undefined) continue;
      if (count === mostFields) return { ...kept, '…': '[cut: more fields]' };
      kept[cutText(key, longestWord)] = value;
      count += 1;
    }
    return count === 0 ? undefined : kept;
  }

  #fieldOf(value: unknown): JsonValue | undefined {
    try {
      const plain = value instanceof Date ? value.toJSON() : value;
      const obstacle = plain === undefined ? 'not_json' : measure(plain, fieldLimits);
      if (obstacle === 'not_json') return undefined;
      const text = obstacle === undefined ? JSON.stringify(plain) : '';
      if (obstacle !== undefined || text.length > this.#charactersLeft) return '[cut: too large]';
      this.#charactersLeft -= text.length;
      return JSON.parse(text) as JsonValue;
    } catch {
      // A proxy or getter that throws has nothing to say.
      return undefined;
    }
  }

  #errorsOf(thrown: object, depth: number): readonly ErrorData[] | undefined {
    const errors = read(thrown, 'errors');
    if (!isList(errors)) return undefined;
    const length = lengthOf(errors);
    const converted: ErrorData[] = [];
    while (converted.length < length && depth < mostCauses && this.#converted < mostErrors) {
      const error = read(errors, converted.length);
      converted.push(this.#above.has(error) ? circle : this.convert(error, depth + 1));
    }
    const rest = length - converted.length;
    if (rest > 0) converted.push({ name: 'CutErrors', message: `[cut: ${grouped(rest)} more errors]` });
    return converted;
  }

  #nonError(text: string): ErrorData {
    return { name: 'NonError', message: this.#text(text, longestMessage) ?? '' };
  }

  #text(value: unknown, longest: number): string | undefined {
    if (typeof value !== 'string') return undefined;
    const kept = cutText(value, Math.min(longest, this.#charactersLeft));
    this.#charactersLeft = Math.max(0, this.#charactersLeft - kept.length);
    return kept;
  }
}

const circle: ErrorData = { name: 'CircularCause', message: 'the chain of causes comes back to an error above' };

function primitiveText(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  return `${typeof thrown === 'bigint' ? `the bigint ${shortBigint(thrown)}` : String(thrown)} was thrown`;
}

// Writing out a bigint takes quadratic time, so that a huge one would block for seconds.
function shortBigint(value: bigint): string {
  return value === BigInt.asIntN(256, value) ? String(value) : '(more than 256 bits)';
}

function objectText(thrown: object): string {
  if (typeof thrown === 'function') return 'a function';
  try {
    // Measured first: writing out a large value, or one that shares parts many times over, could take for ever.
    const obstacle = measure(thrown, smallObject);
    if (obstacle === undefined) return `an object ${JSON.stringify(thrown)}`;
    const maker: unknown = thrown.constructor;
    if (obstacle === 'not_json' && typeof maker === 'function' && maker !== Object && maker.name !== '')
      return `an instance of ${maker.name}`;
    return `an object with the keys ${listed(Object.keys(thrown), 10)}`;
  } catch {
    // A proxy or getter that throws has nothing to say.
    return 'an object';
  }
}

function isErrorLike(thrown: object): boolean {
  try {
    return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
  } catch {
    // A proxy may throw from any trap.
    return false;
  }
}

function isList(value: unknown): value is object {
  try {
    return Array.isArray(value);
  } catch {
    // Array.isArray throws for a revoked proxy.
    return false;
  }
}

// A proxy may answer anything, even for the length of a list.
function lengthOf(list: object): number {
  const length = read(list, 'length');
  return typeof length === 'number' && length >= 0 ? Math.floor(length) : 0;
}

function read(source: object, key: PropertyKey): unknown {
  try {
    return (source as Record<PropertyKey, unknown>)[key];
  } catch {
    // A getter or proxy trap that throws has nothing to say.
    return undefined;
  }
}

function ownKeys(source: object): readonly string[] {
  try {
    return Object.keys(source);
  } catch {
    // A proxy may throw from any trap.
    return [];
  }
}

function codeOf(source: object): unknown {
  const code = read(source, 'code');
  // DOMException has 0 where it has no code.
  return typeof code === 'number' && code !== 0 ? String(code) : code;
}
