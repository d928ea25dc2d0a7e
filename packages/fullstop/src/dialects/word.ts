import type { JsonValue } from '../termination/json.js';
import type { BuiltInKind } from '../termination/kinds.js';
import { valueAt } from '../termination/value-at.js';
import { badPayload } from './bad-payload.js';
import type { ForeignFields, ForeignTermination, ForeignWord } from './dialect.js';
import type { NumberType } from './number-type.js';

/** How one member of a payload is carried: where it is in the termination, and of which type it is. */
export interface Carried {
  readonly path: string;
  readonly type: 'text' | 'texts' | 'json' | NumberType;
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
export const number = (path: string, type: NumberType, convert?: Conversion): Carried =>
  convert === undefined ? { path, type } : { path, type, convert };
export const texts = (path: string): Carried => ({ path, type: 'texts' });
export const json = (path: string): Carried => ({ path, type: 'json' });

export interface WordOptions<TKind extends BuiltInKind> {
  readonly implied?: ForeignFields<TKind>;
  /** The members of the payload, by their foreign names. */
  readonly carries?: Readonly<Record<string, Carried>>;
  readonly canonical?: string;
  readonly note?: string;
  readonly fits?: (termination: ForeignTermination<TKind>) => boolean;
  /** The value for a field that the termination does not have; none is written unless given. */
  readonly absent?: null;
}

/** A word whose payload is a plain table of members. */
export function word<TKind extends BuiltInKind>(
  name: string,
  kind: TKind,
  options: WordOptions<TKind> = {},
): ForeignWord {
  const carries = Object.entries(options.carries ?? {});
  const made: ForeignWord<TKind> = {
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
        const value = toTheirs(carried, valueAt(termination, carried.path));
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
  return made as unknown as ForeignWord;
}

/** A word with rules of its own for its payload. */
export function specialWord<TKind extends BuiltInKind>(
  name: string,
  kind: TKind,
  options: Omit<ForeignWord<TKind>, 'word' | 'kind' | 'implied' | 'carries'> &
    Partial<Pick<ForeignWord<TKind>, 'implied' | 'carries'>>,
): ForeignWord {
  const made: ForeignWord<TKind> = { implied: {} as ForeignFields<TKind>, carries: [], ...options, word: name, kind };
  return made as unknown as ForeignWord;
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

function toTheirs({ type, words, convert }: Carried, value: unknown): JsonValue | undefined {
  if (typeof type === 'object') {
    if (typeof value !== 'number') return undefined;
    return type.nearest(convert === undefined ? value : convert.toTheirs(value));
  }
  if (value === undefined || words === undefined) return value as JsonValue | undefined;
  return words[String(value)];
}

function toOurs(name: string, member: string, { type, words, convert }: Carried, value: JsonValue): JsonValue {
  if (words !== undefined) {
    const ours = Object.entries(words).find(([, theirs]) => theirs === value)?.[0];
    if (ours === undefined) throw badPayload(name, member, `one of ${Object.values(words).join(', ')}`);
    return ours;
  }
  if (typeof type === 'object') {
    if (typeof value !== 'number' || !type.accepts(value)) throw badPayload(name, member, type.expected);
    return convert === undefined ? value : convert.toOurs(value);
  }
  if (type === 'text' && typeof value !== 'string') throw badPayload(name, member, 'a string');
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (type === 'texts' && !isTexts) throw badPayload(name, member, 'a list of strings');
  return value;
}
