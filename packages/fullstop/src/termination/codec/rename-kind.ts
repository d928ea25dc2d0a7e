import { at } from '../check.js';
import { invalidFields } from '../define-termination.js';
import { isObject } from '../json.js';

/** The keys between which kinds are moved. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

/**
 * Moves the kind of a termination, and of every termination inside it, to another key. Does not change its argument.
 * A field that has that key already is refused: one of the two would be lost.
 */
export function renameKind(value: unknown, renaming: Renaming, path = ''): unknown {
  const { from, to } = renaming;
  if (from === to || !isObject(value)) return value;
  if (Object.hasOwn(value, to)) throw makeTakenError(value, renaming, path);
  if (!Object.hasOwn(value, from)) return value;
  const { [from]: kind, ...fields } = value;
  const renameInner = (inner: unknown, key: string): unknown => renameKind(inner, renaming, at(path, key));
  return { [to]: kind, ...fields, ...innerTerminations(kind, fields, renameInner) };
}

type RenameInner = (inner: unknown, path: string) => unknown;

/** Only the fields that hold terminations are followed: a user's own data may have any keys. */
function innerTerminations(kind: unknown, fields: Readonly<Record<string, unknown>>, rename: RenameInner): object {
  const { cause, termination, others } = fields;
  if (kind === 'cancelled') return cause === undefined ? {} : { cause: rename(cause, 'cause') };
  if (kind !== 'child_failed') return {};
  const renamed = { termination: rename(termination, 'termination') };
  if (!Array.isArray(others)) return renamed;
  return {
    ...renamed,
    others: others.map((other, index) => renameOther(other, `others[${index}].termination`, rename)),
  };
}

function renameOther(other: unknown, path: string, rename: RenameInner): unknown {
  return isObject(other) ? { ...other, termination: rename(other['termination'], path) } : other;
}

function makeTakenError(value: object, { from, to }: Renaming, path: string): Error {
  if (!Object.hasOwn(value, from)) {
    const message = `missing, expected the kind of a termination, which stands under ${JSON.stringify(to)} instead`;
    return invalidFields('termination', [{ code: 'missing', path: at(path, from), message }]);
  }
  const message = `cannot stand beside ${JSON.stringify(from)}: the codec reads and writes one as the other`;
  return invalidFields('termination', [{ code: 'invalid', path: at(path, to), message }]);
}
