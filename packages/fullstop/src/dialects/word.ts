import { FullstopError } from '../termination/fullstop-error.js';
import { isObject, type JsonValue } from '../termination/json.js';
import type { BuiltInKind } from '../termination/kinds.js';
import type { Foreign, ForeignFields, Word } from './dialect.js';

/** How one member of a payload is carried: where it stands in the termination, and of which type it is. */
export interface Carried {
  readonly path: string;
  readonly type: 'text' | 'number' | 'texts' | 'json';
  /** Translates a word of ours to theirs and back, for enumerations. */
  readonly words?: Readonly<Record<string, string>>;
  /** Turns our number into theirs and back, for other units. */
  readonly convert?: Conversion;
}

/** How a number of ours is written, and read again. */
export interface Conversion {
  toTheirs(value: number): number;
  toOurs(value: number): number;
}

export const text = (path: string, words?: Readonly<Record<string, string>>): Carried =>
  words === undefined ? { path, type: 'text' } : { path, type: 'text', words };
export const number = (path: string, convert?: Conversion): Carried =>
  convert === undefined ? { path, type: 'number' } : { path, type: 'number', convert };
export const texts = (path: string): Carried => ({ path, type: 'texts' });
export const json = (path: string): Carried => ({ path, type: 'json' });

export interface WordOptions<TKind extends BuiltInKind> {
  readonly implied?: ForeignFields<TKind>;
  /** The members of the payload, by their foreign names. */
  readonly carries?: Readonly<Record<string, Carried>>;
  readonly canonical?: string;
  readonly note?: string;
  readonly fits?: (termination: Foreign<TKind>) => boolean;
  /** What is written where the termination does not have the field: nothing unless given. */
  readonly absent?: null;
}

/** A word whose payload is a plain table of members. */
export function word<TKind extends BuiltInKind>(name: string, kind: TKind, options: WordOptions<TKind> = {}): Word {
  const carries = Object.entries(options.carries ?? {});
  const made: Word<TKind> = {
    word: name,
    kind,
    implied: options.implied ?? ({} as ForeignFields<TKind>),
    carries: carries.map(([member, carried]) => (member === carried.path ? member : `${member} → ${carried.path}`)),
    ...(options.canonical !== undefined && { canonical: options.canonical }),
    ...(options.note !== undefined && { note: options.note }),
    ...(options.fits !== undefined && { fits: options.fits }),
    write(termination) {
      const payload: Record<string, JsonValue> = {};
      for (const [member, carried] of carries) {
        const value = toTheirs(carried, pathValue(termination, carried.path));
        if (value !== undefined) payload[member] = value;
        else if (options.absent === null) payload[member] = null;
      }
      return payload;
    },
    read(payload) {
      const fields: Record<string, unknown> = {};
      for (const [member, carried] of carries) {
        const value = Object.hasOwn(payload, member) ? payload[member] : undefined;
        if (value !== undefined && value !== null) setPath(fields, carried.path, toOurs(name, member, carried, value));
      }
      return fields as ForeignFields<TKind>;
    },
  };
  return made as unknown as Word;
}

/** A word with rules of its own for its payload. */
export function specialWord<TKind extends BuiltInKind>(
  name: string,
  kind: TKind,
  options: Omit<Word<TKind>, 'word' | 'kind' | 'implied' | 'carries'> &
    Partial<Pick<Word<TKind>, 'implied' | 'carries'>>,
): Word {
  const made: Word<TKind> = { implied: {} as ForeignFields<TKind>, carries: [], ...options, word: name, kind };
  return made as unknown as Word;
}

/** The error for a payload that is not of the foreign type. */
export function badPayload(name: string, member: string, expected: string): FullstopError {
  return new FullstopError('UNKNOWN_WORD', `${name}: ${member} must be ${expected}.`);
}

/** The value at a dotted path; undefined as soon as something on the way is missing. */
export function pathValue(source: object, path: string): unknown {
  let current: unknown = source;
  for (const key of path.split('.')) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

function setPath(target: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() as string;
  let current = target;
  for (const key of keys) {
    current[key] ??= {};
    current = current[key] as Record<string, unknown>;
  }
  current[last] = value;
}

function toTheirs(carried: Carried, value: unknown): JsonValue | undefined {
  if (carried.convert !== undefined && typeof value === 'number') return carried.convert.toTheirs(value);
  if (value === undefined || carried.words === undefined) return value as JsonValue | undefined;
  return carried.words[String(value)];
}

function toOurs(name: string, member: string, carried: Carried, value: JsonValue): JsonValue {
  if (carried.words !== undefined) {
    const ours = Object.entries(carried.words).find(([, theirs]) => theirs === value)?.[0];
    if (ours === undefined) throw badPayload(name, member, `one of ${Object.values(carried.words).join(', ')}`);
    return ours;
  }
  if (carried.type === 'text' && typeof value !== 'string') throw badPayload(name, member, 'a string');
  if (carried.type === 'number' && typeof value !== 'number') throw badPayload(name, member, 'a number');
  if (carried.convert !== undefined) return carried.convert.toOurs(value as number);
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (carried.type === 'texts' && !isTexts) throw badPayload(name, member, 'a list of strings');
  return value;
}
