import type { Ending, FieldsOf } from './ending.js';
import type { ErrorData } from './errors/error-data.js';
import type { ValueIssue } from './errors/fullstop-error.js';
import { isObject, type JsonObject, type JsonValue } from './json.js';
import { suggestion } from './text/suggestion.js';

/** The context of a check besides the value: where to report, and how to judge a termination inside the termination. */
export interface CheckContext {
  readonly issues: ValueIssue[];
  readonly unknownFields: 'keep' | 'reject';
  readonly checkTermination: (value: unknown, path: string, context: CheckContext) => void;
}

/** The place of a value inside a termination; the termination itself has depth 1. */
export interface Place {
  readonly path: string;
  readonly depth: number;
}

/** Cuts values that are too large, each by what its check says that it is. */
export interface Knife {
  text(value: unknown, place: Place): unknown;
  json(value: unknown, place: Place): unknown;
  list(value: unknown, place: Place, element: AnyCheck): unknown;
  shape(value: unknown, place: Place, fields: AnyChecks): unknown;
  termination(value: unknown, place: Place): unknown;
}

/** Judges one value. */
export interface AnyCheck {
  /** Completes the sentence "expected …". */
  readonly expected: string;
  /** How many levels of objects and lists a value has at least, when everything optional is left out. */
  readonly levels: number;
  run(value: unknown, path: string, context: CheckContext): void;
  /** The value made smaller, such that what passed this check still does. */
  cut(value: unknown, place: Place, knife: Knife): unknown;
  /** True for a field that may be absent. */
  readonly optional?: boolean;
}

export type AnyChecks = Readonly<Record<string, AnyCheck>>;

/** A check of which `T` is what the value is known to be once no issue was reported. */
export interface Check<T> extends AnyCheck {
  readonly optional?: false;
  /** Types only: ties the check to exactly the type of its field, no wider and no narrower. */
  readonly checks?: (value: T) => T;
}

/** A check for a field that may be absent. */
export interface OptionalCheck<T> extends AnyCheck {
  readonly optional: true;
  readonly checks?: (value: T) => T;
}

/** One check for each field of a kind; a missing or superfluous one is a compile error. */
export type FieldChecks<TEnding extends Ending> = Shape<FieldsOf<TEnding>>;

type Shape<T> = {
  readonly [P in keyof T]-?: Record<string, never> extends Pick<T, P>
    ? OptionalCheck<Exclude<T[P], undefined>>
    : Check<T[P]>;
};

/** The value in a few words, for error messages. */
export function found(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
}

/** Joins a path and a key: `child.path`, `gates[2].gateId`. */
export function at(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

function scalar<T>(expected: string, accepts: (value: unknown) => boolean): Check<T> {
  return {
    expected,
    levels: 0,
    run(value, path, context) {
      if (!accepts(value))
        context.issues.push({ code: 'invalid', path, message: `expected ${expected}, found ${found(value)}` });
    },
    cut: (value) => value,
  };
}

const isFiniteNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

export const text: Check<string> = {
  ...scalar('a string', (value) => typeof value === 'string'),
  cut: (value, place, knife) => knife.text(value, place),
};
export const flag: Check<boolean> = scalar('true or false', (value) => typeof value === 'boolean');
export const count: Check<number> = scalar(
  'a whole number of 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const limit: Check<number> = scalar(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);
export const amount: Check<number> = scalar('a number of 0 or more', (value) => isFiniteNumber(value) && value >= 0);
export const positive: Check<number> = scalar('a number above 0', (value) => isFiniteNumber(value) && value > 0);
export const ratio: Check<number> = scalar(
  'a number from 0 to 1',
  (value) => isFiniteNumber(value) && value >= 0 && value <= 1,
);
export const httpStatus: Check<number> = scalar(
  'an HTTP status from 100 to 599',
  (value) => Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599,
);
export const instant: Check<string> = scalar(
  'an instant such as 2026-03-01T12:00:00.000Z',
  (value) => typeof value === 'string' && instantPattern.test(value) && existsAsDate(value),
);

// Date.parse takes a 30th of February for a day in March.
function existsAsDate(text: string): boolean {
  const milliseconds = Date.parse(text);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(text.slice(0, 19));
}

/** Any JSON value; that it is JSON, and how large, is measured for the termination as a whole. */
export const json: Check<JsonValue> = {
  expected: 'a JSON value',
  levels: 0,
  run: requirePresence,
  cut: (value, place, knife) => knife.json(value, place),
};

function requirePresence(value: unknown, path: string, context: CheckContext): void {
  if (value === undefined)
    context.issues.push({ code: 'invalid', path, message: 'expected a JSON value, found nothing' });
}

/** A JSON object with keys of the user's choice. */
export const properties: Check<JsonObject> = {
  expected: 'an object',
  levels: 1,
  run(value, path, context) {
    if (!isObject(value))
      context.issues.push({ code: 'invalid', path, message: `expected an object, found ${found(value)}` });
  },
  cut: (value, place, knife) => knife.json(value, place),
};

export function oneOf<const T extends string>(...words: readonly T[]): Check<T> {
  const allowed = new Set<unknown>(words);
  return scalar(`one of ${words.join(', ')}`, (value) => allowed.has(value));
}

export function optional<T>(check: Check<T>): OptionalCheck<T> {
  return { ...check, optional: true };
}

/** A list with more wrong elements than this is not worth listing them all. */
const mostIssues = 100;

export function listOf<T>(element: Check<T>): Check<readonly T[]> {
  return {
    expected: 'a list',
    levels: 1 + element.levels,
    run(value, path, context) {
      if (!Array.isArray(value)) {
        context.issues.push({ code: 'invalid', path, message: `expected a list, found ${found(value)}` });
        return;
      }
      for (const [index, item] of value.entries()) {
        if (context.issues.length >= mostIssues) return;
        element.run(item, at(path, index), context);
      }
    },
    cut: (value, place, knife) => knife.list(value, place, element),
  };
}

export function shape<T>(fields: Shape<T>): Check<T> {
  const runFields = compileFields(fields);
  const checks = fields as unknown as AnyChecks;
  const names = new Set(Object.keys(checks));
  const required = Object.values(checks).filter((check) => !check.optional);
  return {
    expected: 'an object',
    levels: 1 + Math.max(0, ...required.map((check) => check.levels)),
    run(value, path, context) {
      if (!isObject(value)) {
        context.issues.push({ code: 'invalid', path, message: `expected an object, found ${found(value)}` });
        return;
      }
      runFields(value, path, context);
      if (context.unknownFields === 'reject') rejectUnknown(value, path, names, context);
    },
    cut: (value, place, knife) => knife.shape(value, place, checks),
  };
}

/** Turns a record of checks into one function, so that judging a value allocates nothing but its issues. */
export function compileFields(
  fields: object,
): (value: Readonly<Record<string, unknown>>, path: string, context: CheckContext) => void {
  const entries = Object.entries(fields as AnyChecks).map(([name, check]) => ({ name, check }));
  return (value, path, context) => {
    for (const { name, check } of entries) {
      const field = value[name];
      if (field !== undefined && Object.hasOwn(value, name))
        check.run(field, path === '' ? name : at(path, name), context);
      else if (check.optional !== true)
        context.issues.push({ code: 'missing', path: at(path, name), message: `missing, expected ${check.expected}` });
    }
  };
}

/** Reports each field that is not among the known ones. */
export function rejectUnknown(value: object, path: string, known: ReadonlySet<string>, context: CheckContext): void {
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    const message = `unknown field${suggestion(key, [...known])}`;
    context.issues.push({ code: 'unknown_field', path: at(path, key), message });
  }
}

/** An error as data, its causes included. */
export const errorData: Check<ErrorData> = {
  expected: 'an error as data, with name and message',
  levels: 1,
  run: (value, path, context) => errorShape.run(value, path, context),
  cut: (value, place, knife) => errorShape.cut(value, place, knife),
};

const errorShape: Check<ErrorData> = shape<ErrorData>({
  name: text,
  message: text,
  code: optional(text),
  stack: optional(text),
  data: optional(properties),
  cause: optional(errorData),
  errors: optional(listOf(errorData)),
});
