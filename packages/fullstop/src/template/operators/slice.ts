import { Dict } from '../dict.js';
import { allowList } from '../evaluate/evaluation.js';
import { typeFault, undefinedFault, valueFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { RangeValue } from '../library/range-value.js';
import { codePoints } from '../text/code-points.js';
import { isText, Markup, Tuple, textOf, Undefined, type Value } from '../value.js';
import { indexOf } from './integer.js';

/** The bounds of a slice as they were given. */
export interface SliceBounds {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
}

interface Span {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
}

function readBound(value: Value): number | undefined {
  if (value === null) return undefined;
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  return indexOf(value, 'slice indices must be integers or None or have an __index__ method');
}

function spanOf(bounds: SliceBounds, length: number): Span {
  const step = readBound(bounds.step) ?? 1;
  if (step === 0) throw valueFault('slice step cannot be zero');
  const least = step < 0 ? -1 : 0;
  const most = step < 0 ? length - 1 : length;
  const clamp = (value: number | undefined, fallback: number): number => {
    if (value === undefined) return fallback;
    return value < 0 ? Math.max(least, value + length) : Math.min(most, value);
  };
  const start = clamp(readBound(bounds.start), step < 0 ? most : 0);
  return { start, stop: clamp(readBound(bounds.stop), step < 0 ? -1 : length), step };
}

function sliceItems<T>(items: readonly T[], { start, stop, step }: Span): T[] {
  allowList(Math.max(0, Math.ceil((stop - start) / step)));
  if (step === 1) return items.slice(start, Math.max(start, stop));
  const picked: T[] = [];
  for (let index = start; step > 0 ? index < stop : index > stop; index += step) picked.push(items[index] as T);
  return picked;
}

/** Python's `object[start:stop:step]`. */
export function sliceOf(object: Value, bounds: SliceBounds): Value {
  if (isText(object)) return sliceText(object, bounds);
  if (Array.isArray(object)) return sliceItems(object, spanOf(bounds, object.length));
  if (object instanceof Tuple) return new Tuple(sliceItems(object.items, spanOf(bounds, object.items.length)));
  if (object instanceof RangeValue) {
    const { start, stop, step } = spanOf(bounds, object.length());
    return new RangeValue(object.start + start * object.step, object.start + stop * object.step, object.step * step);
  }
  if (object instanceof Undefined) throw undefinedFault(object.describe());
  if (object instanceof Dict) throw typeFault("unhashable type: 'slice'");
  throw typeFault(`'${typeName(object)}' object is not subscriptable`);
}

function sliceText(object: string | Markup, bounds: SliceBounds): Value {
  const text = textOf(object);
  const points = codePoints(text);
  const span = spanOf(bounds, points?.length ?? text.length);
  const plain = points === undefined && span.step === 1;
  const part = plain
    ? text.slice(span.start, Math.max(span.start, span.stop))
    : cutText(points ?? text.split(''), span);
  return object instanceof Markup ? new Markup(part) : part;
}

function cutText(characters: readonly string[], span: Span): string {
  const picked: string[] = [];
  for (let at = span.start; span.step > 0 ? at < span.stop : at > span.stop; at += span.step)
    picked.push(characters[at] ?? '');
  return picked.join('');
}
