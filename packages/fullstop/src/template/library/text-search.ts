import { allowText } from '../evaluate/evaluation.js';
import { typeFault, valueFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { indexOf } from '../operators/integer.js';
import { codePoints } from '../text/code-points.js';
import { isText, type Markup, Tuple, textOf, type Value } from '../value.js';
import type { Bound } from './signature.js';

/** A text argument. */
export function textArgument(value: Value | undefined, message?: string): string {
  if (value !== undefined && isText(value)) return textOf(value);
  throw typeFault(message ?? `must be str, not ${typeName(value ?? null)}`);
}

/** An int argument, or its default. */
export function intArgument(value: Value | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  return indexOf(value, `'${typeName(value)}' object cannot be interpreted as an integer`);
}

/** The part of a text between two optional character positions, and where it begins. */
function windowOf(
  text: string,
  start: Value | undefined,
  end: Value | undefined,
): { part: string; offset: number } | undefined {
  allowText(text.length);
  if (start === undefined && end === undefined) return { part: text, offset: 0 };
  const points = codePoints(text) ?? text.split('');
  const from = clamp(start ?? null, points.length, 0);
  const to = clamp(end ?? null, points.length, points.length);
  return from > to || from > points.length ? undefined : { part: points.slice(from, to).join(''), offset: from };
}

function clamp(value: Value, length: number, fallback: number): number {
  if (value === null) return fallback;
  const index = indexOf(value, 'slice indices must be integers or None or have an __index__ method');
  return index < 0 ? Math.max(0, index + length) : index;
}

/** Where a text occurs first or last, in characters; -1 when nowhere. */
export function position(self: Markup | string, [wanted, start, end]: Bound, last: boolean): number {
  const sought = textArgument(wanted);
  const area = windowOf(textOf(self), start, end);
  if (area === undefined) return -1;
  const unit = last ? area.part.lastIndexOf(sought) : area.part.indexOf(sought);
  if (unit === -1) return -1;
  return area.offset + (codePoints(area.part.slice(0, unit))?.length ?? unit);
}

/** The same, failing when nowhere. */
export function positionOrFail(self: Markup | string, args: Bound, last: boolean): number {
  const found = position(self, args, last);
  if (found === -1) throw valueFault('substring not found');
  return found;
}

/** How often a text occurs without overlap. */
export function occurrences(self: Markup | string, [wanted, start, end]: Bound): number {
  const sought = textArgument(wanted);
  const part = windowOf(textOf(self), start, end)?.part;
  if (part === undefined) return 0;
  if (sought === '') return (codePoints(part) ?? part).length + 1;
  return part.split(sought).length - 1;
}

/** Whether a text begins or ends with one of the given ones. */
export function hasAffix(self: Markup | string, [wanted, start, end]: Bound, kind: 'startswith' | 'endswith'): boolean {
  const part = windowOf(textOf(self), start, end)?.part;
  const options = wanted instanceof Tuple ? wanted.items : [wanted ?? null];
  return options.some((option) => {
    const message = `${kind} first arg must be str or a tuple of str, not ${typeName(option)}`;
    const affix = textArgument(option, message);
    if (part === undefined) return false;
    return kind === 'startswith' ? part.startsWith(affix) : part.endsWith(affix);
  });
}
