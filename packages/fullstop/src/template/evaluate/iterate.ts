import { Dict } from '../dict.js';
import { codePoints } from '../text/code-points.js';
import { isText, ObjectValue, Tuple, textOf, Undefined, type Value } from '../value.js';
import { allowList, checkList, spend } from './evaluation.js';
import { typeFault, undefinedFault, valueFault } from './fault.js';
import { typeName } from './type-name.js';

/** An iterator over a value's elements, or undefined when it has none. Each element must be paid for with `spend`. */
export function iteratorOf(value: Value): Iterator<Value> | undefined {
  if (Array.isArray(value)) return value[Symbol.iterator]();
  if (isText(value)) return (codePoints(textOf(value)) ?? textOf(value))[Symbol.iterator]();
  if (value instanceof Dict) return value.keys();
  if (value instanceof Tuple) return value.items[Symbol.iterator]();
  if (value instanceof ObjectValue) return value.iterate();
  if (value instanceof Undefined) {
    if (!value.lenient) throw undefinedFault(value.describe());
    return [][Symbol.iterator]();
  }
  return undefined;
}

/** Walks over a value's elements, one step each. */
export function* elements(value: Value): Generator<Value, void, undefined> {
  const iterator = iterate(value);
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    spend(1);
    yield next.value;
  }
}

/** An iterator over a value's elements; fails for what has none. */
export function iterate(value: Value): Iterator<Value> {
  const iterator = iteratorOf(value);
  if (iterator === undefined) throw typeFault(`'${typeName(value)}' object is not iterable`);
  return iterator;
}

/** A new list of a value's elements. */
export function listOf(value: Value): Value[] {
  if (Array.isArray(value)) {
    allowList(value.length);
    return value.slice();
  }
  const list: Value[] = [];
  for (const item of elements(value)) {
    checkList(list.length);
    list.push(item);
  }
  return list;
}

/** The elements of a value that must have this many. */
export function unpack(value: Value, count: number): Value[] {
  const iterator = iteratorOf(value);
  if (iterator === undefined) throw typeFault(`cannot unpack non-iterable ${typeName(value)} object`);
  const values: Value[] = [];
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    if (values.length === count) throw valueFault(`too many values to unpack (expected ${count})`);
    values.push(next.value);
  }
  if (values.length < count) throw valueFault(`not enough values to unpack (expected ${count}, got ${values.length})`);
  return values;
}
