import { FullstopError, type FullstopErrorCode } from '../../termination/errors/fullstop-error.js';
import { Misfit, type OptionalReader, type Reader } from './reader.js';

type Method = (...given: never[]) => unknown;

/** Takes the arguments of a call as they came, and returns those that it was made for. */
export type ArgumentsReader<TParameters extends readonly unknown[]> = (given: readonly unknown[]) => TParameters;

/** One row for every method of a thing; one that is missing does not compile. */
export type Door<TThing> = {
  readonly [P in keyof TThing as NonNullable<TThing[P]> extends Method ? P : never]-?: NonNullable<TThing[P]> extends (
    ...given: infer TParameters
  ) => unknown
    ? ArgumentsReader<TParameters>
    : never;
};

type NamedReaders<TParameters extends readonly unknown[]> = {
  readonly [I in keyof TParameters]-?: readonly [
    name: string,
    reader: undefined extends TParameters[I]
      ? OptionalReader<Exclude<TParameters[I], undefined>>
      : Reader<TParameters[I]>,
  ];
};

/** Reads each argument by itself; more than these are not passed on. */
export function inOrder<TParameters extends readonly unknown[]>(
  ...readers: NamedReaders<TParameters>
): ArgumentsReader<TParameters> {
  const named = readers as unknown as readonly (readonly [string, Reader<unknown> | OptionalReader<unknown>])[];
  return (given) =>
    named.map(([name, reader], index) => {
      const value = given[index];
      if (value === undefined && reader.optional === true) return undefined;
      return reader.read(value, name);
    }) as unknown as TParameters;
}

/** Reads something, and says what was refused in the name of what was called. */
export function readAtDoor<T>(called: string, read: () => T, code: FullstopErrorCode = 'INVALID_OPTION'): T {
  try {
    return read();
  } catch (error) {
    throw refusalOf(called, error, code);
  }
}

/** The typed error for whatever came up while something from outside was read. */
export function refusalOf(called: string, error: unknown, code: FullstopErrorCode = 'INVALID_OPTION'): FullstopError {
  if (FullstopError.is(error)) return error;
  if (!(error instanceof Misfit)) {
    const message = `What ${called} was given cannot be read: ${textOf(error)}. Give it plain values.`;
    return new FullstopError(code, message, { cause: error, issues: [{ code: 'invalid', path: '', message }] });
  }
  const { path, found, expected, missing } = error;
  const what = path === '' ? `${called} was given ${found}` : `${called}: ${path} is ${found}`;
  return new FullstopError(code, `${what}; it must be ${expected}.`, {
    issues: [{ code: missing ? 'missing' : 'invalid', path, message: `found ${found}, expected ${expected}` }],
  });
}

/** The words of an error that may be anything, and may throw again when it is looked at. */
function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    // Somebody means it.
    return 'it throws';
  }
}
