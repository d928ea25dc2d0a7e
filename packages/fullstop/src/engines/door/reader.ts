import { at, found } from '../../termination/check.js';
import { isObject } from '../../termination/json.js';
import { suggestion } from '../../termination/text/suggestion.js';

/** Reads a value from outside once, and returns a copy of what it has found to be a `T`. */
export interface Reader<T> {
  /** Completes the sentence "it must be …". */
  readonly expected: string;
  /**
   * Throws a `Misfit` for everything else. JSON inside a trusted value is neither looked through nor copied: it is our
   * own, and every entry passes here.
   */
  read(value: unknown, path: string, trusted?: boolean): T;
  readonly optional?: false;
}

/** Reads what may be left out. */
export interface OptionalReader<T> {
  readonly expected: string;
  read(value: unknown, path: string, trusted?: boolean): T;
  readonly optional: true;
}

type AnyReader = Reader<unknown> | OptionalReader<unknown>;

/** One reader for each field of a type; a missing or superfluous one is a compile error. */
export type FieldReaders<T> = {
  readonly [P in keyof T]-?: Record<string, never> extends Pick<T, P>
    ? OptionalReader<Exclude<T[P], undefined>>
    : Reader<T[P]>;
};

/** A value is not what it must be. It never leaves the door, which says in its own words what was refused. */
export class Misfit extends Error {
  readonly path: string;
  readonly found: string;
  readonly expected: string;
  readonly missing: boolean;

  constructor(path: string, value: unknown, expected: string) {
    super(`${path}: expected ${expected}`);
    this.path = path;
    this.found = describeValue(value);
    this.expected = expected;
    this.missing = value === undefined;
  }

  /** The same, seen from further outside. */
  within(outer: string): Misfit {
    const path =
      outer === '' || this.path === '' || this.path.startsWith('[') ? outer + this.path : `${outer}.${this.path}`;
    return Object.assign(Object.create(Misfit.prototype) as Misfit, this, { path });
  }
}

/** A value in a few words, also where looking at it throws. */
function describeValue(value: unknown): string {
  try {
    return found(value);
  } catch {
    // A revoked proxy answers nothing.
    return 'something that cannot be read';
  }
}

/** Makes a reader of a question that leaves the value as it is. */
export function scalar<T>(expected: string, accepts: (value: unknown) => boolean): Reader<T> {
  return {
    expected,
    read(value, path) {
      if (accepts(value)) return value as T;
      throw new Misfit(path, value, expected);
    },
  };
}

export function optional<T>({ expected, read }: Reader<T>): OptionalReader<T> {
  return { expected, read, optional: true };
}

export function listOf<T>(
  element: Reader<T>,
  expected = `a list, and each in it ${element.expected}`,
): Reader<readonly T[]> {
  return {
    expected,
    read(value, path, trusted) {
      if (!Array.isArray(value)) throw new Misfit(path, value, expected);
      return Array.from(value, (member, index) => {
        try {
          return element.read(member, '', trusted);
        } catch (error) {
          throw seenFrom(at(path, index), error);
        }
      });
    },
  };
}

/** An object whose members have names of someone's choice. */
export function mapOf<T>(name: Reader<string>, member: Reader<T>): Reader<Readonly<Record<string, T>>> {
  const expected = 'an object';
  return {
    expected,
    read(value, path, trusted) {
      if (!isObject(value)) throw new Misfit(path, value, expected);
      const result: Record<string, T> = {};
      for (const key of Object.keys(value)) {
        name.read(key, `the name ${JSON.stringify(key)} in ${path}`);
        define(result, key, member.read(value[key], at(path, key), trusted));
      }
      return result;
    },
  };
}

/** An object with these fields. Others are refused, because a misspelt one would be lost, or kept where newer versions may write more. */
export function record<T>(fields: FieldReaders<T>, others: 'ignored' | 'refused' = 'refused'): Reader<T> {
  const names = Object.keys(fields);
  const readers = Object.values(fields as unknown as Readonly<Record<string, AnyReader>>);
  const expected = `an object with ${names.join(', ')}`;
  return {
    expected,
    read(value, path, trusted) {
      if (!isObject(value)) throw new Misfit(path, value, expected);
      // Of a trusted value nothing is copied.
      const copy: Record<string, unknown> | undefined = trusted === true ? undefined : {};
      try {
        for (let index = 0; index < names.length; index += 1)
          readMember(value, names[index] as string, readers[index] as AnyReader, copy);
      } catch (error) {
        // The path of what is wrong is put together only then: nearly nothing is, and every run passes here.
        throw seenFrom(path, error);
      }
      if (others === 'refused') refuseOthers(value, path, names);
      return (copy ?? value) as T;
    },
  };
}

/** Reads a member of an object into its copy, or only looks at it where there is none. */
function readMember(
  value: Readonly<Record<string, unknown>>,
  name: string,
  reader: AnyReader,
  copy: Record<string, unknown> | undefined,
): void {
  const member = value[name];
  if (member === undefined) {
    if (reader.optional !== true) throw new Misfit(name, member, reader.expected);
    return;
  }
  const read = reader.read(member, name, copy === undefined);
  if (copy !== undefined) copy[name] = read;
}

function refuseOthers(value: object, path: string, names: readonly string[]): void {
  for (const name of Object.keys(value)) {
    if (names.includes(name) || (value as Readonly<Record<string, unknown>>)[name] === undefined) continue;
    const hint = suggestion(name, names);
    throw new Misfit(
      at(path, name),
      (value as Readonly<Record<string, unknown>>)[name],
      `left out, because there is no such field${hint}`,
    );
  }
}

/** An error that was thrown while something inside a value was read, with the path to it. */
export function seenFrom(path: string, error: unknown): unknown {
  return error instanceof Misfit ? error.within(path) : error;
}

/** Sets a member under any name: `__proto__` too is just a name in JSON. */
export function define(target: object, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  else (target as Record<string, unknown>)[name] = value;
}
