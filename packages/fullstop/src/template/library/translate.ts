import { Dict } from '../dict.js';
import { checkText } from '../evaluate/evaluation.js';
import { typeFault, valueFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { codePoints } from '../text/code-points.js';
import { isInt, isText, textOf, type Value } from '../value.js';
import type { Bound } from './signature.js';
import { textArgument } from './text-search.js';

/** Python's `str.maketrans`. */
export function translationTable([first, second, removed]: Bound): Value {
  if (second === undefined) return fromDict(first ?? null);
  const from = [...textArgument(first)];
  const to = [...textArgument(second)];
  if (from.length !== to.length) throw valueFault('the first two maketrans arguments must have equal length');
  const table = new Dict();
  for (const [index, character] of from.entries()) {
    const code = character.codePointAt(0) ?? 0;
    table.set(code, code, (to[index] ?? '').codePointAt(0) ?? 0);
  }
  for (const character of removed === undefined ? '' : textArgument(removed)) {
    const code = character.codePointAt(0) ?? 0;
    table.set(code, code, null);
  }
  return table;
}

function fromDict(value: Value): Value {
  if (!(value instanceof Dict)) throw typeFault('if you give only one argument to maketrans it must be a dict');
  const table = new Dict();
  for (const [key, to] of value.entries()) {
    if (isText(key) && (codePoints(textOf(key)) ?? textOf(key)).length !== 1) {
      throw valueFault('string keys in translate table must be of length 1');
    }
    const code = isText(key) ? (textOf(key).codePointAt(0) ?? 0) : Number(key);
    table.set(code, code, to);
  }
  return table;
}

/** Python's `str.translate`. */
export function translateText(text: string, table: Value): string {
  if (!(table instanceof Dict)) throw typeFault(`'${typeName(table)}' object is not subscriptable`);
  let out = '';
  for (const character of text) {
    const to = table.get(character.codePointAt(0) ?? 0);
    const piece = to === undefined ? character : replacement(to);
    checkText(out.length + piece.length);
    out += piece;
  }
  return out;
}

function replacement(value: Value): string {
  if (value === null) return '';
  if (isText(value)) return textOf(value);
  if (isInt(value)) return String.fromCodePoint(Number(value));
  throw typeFault('character mapping must return integer, None or str');
}
