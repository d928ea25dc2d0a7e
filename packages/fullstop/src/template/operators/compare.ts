import { Dict, type DictKey, textKey } from '../dict.js';
import { limits, spend } from '../evaluate/evaluation.js';
import { limitFault, typeFault, undefinedFault } from '../evaluate/fault.js';
import { elements } from '../evaluate/iterate.js';
import { typeName } from '../evaluate/type-name.js';
import { compareText } from '../text/code-points.js';
import { Float, floatOf, isFloat, isText, ObjectValue, Tuple, textOf, Undefined, type Value } from '../value.js';

export type Ordering = '<' | '<=' | '>' | '>=';

/** A number of any type, or undefined for other values. Booleans are numbers. */
export function numeric(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value instanceof Float ? value.value : undefined;
}

/** Python's `==`. */
export function equals(a: Value, b: Value, depth = 0): boolean {
  if (a === b && !(a instanceof Undefined)) return !Number.isNaN(a);
  if (a instanceof Undefined || b instanceof Undefined) return equalUndefined(a, b);
  const left = numeric(a);
  if (left !== undefined) {
    const right = numeric(b);
    // biome-ignore lint/suspicious/noDoubleEquals: an int and a big int may be the same number
    return right !== undefined && left == right;
  }
  if (isText(a)) return isText(b) && sameText(textOf(a), textOf(b));
  return equalContainers(a, b, depth);
}

/** Long texts of one length cost what it takes to compare them. */
function sameText(a: string, b: string): boolean {
  if (a.length > 1024 && a.length === b.length) spend(a.length >>> 10);
  return a === b;
}

function equalUndefined(a: Value, b: Value): boolean {
  const strict = [a, b].find((value) => value instanceof Undefined && !value.lenient);
  if (strict instanceof Undefined) throw undefinedFault(strict.describe());
  return a instanceof Undefined && b instanceof Undefined;
}

function equalContainers(a: Value, b: Value, depth: number): boolean {
  if (depth > limits.valueDepth) throw limitFault('maximum recursion depth exceeded in comparison');
  if (Array.isArray(a)) return Array.isArray(b) && equalItems(a, b, depth);
  if (a instanceof Tuple) return b instanceof Tuple && equalItems(a.items, b.items, depth);
  if (a instanceof Dict) return b instanceof Dict && equalDicts(a, b, depth);
  if (a instanceof ObjectValue && b instanceof ObjectValue && a.typeName === 'range' && b.typeName === 'range') {
    return equalItems([...elements(a)], [...elements(b)], depth);
  }
  return false;
}

function equalItems(a: readonly Value[], b: readonly Value[], depth: number): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    spend(1);
    if (!isSame(a[index] as Value, b[index] as Value, depth + 1)) return false;
  }
  return true;
}

/** Elements are equal when they are the same object, before `==` is asked. */
function isSame(a: Value, b: Value, depth: number): boolean {
  return a === b || equals(a, b, depth);
}

function equalDicts(a: Dict, b: Dict, depth: number): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a.stored()) {
    spend(1);
    const other = b.get(key);
    if (other === undefined || !isSame(value, other, depth + 1)) return false;
  }
  return true;
}

/** Python's ordering comparisons. */
export function compareOrder(operator: Ordering, a: Value, b: Value): boolean {
  const left = numeric(a);
  const right = left === undefined ? undefined : numeric(b);
  if (left !== undefined && right !== undefined) return holds(operator, left, right);
  if (isText(a) && isText(b)) return holds(operator, compareText(textOf(a), textOf(b)), 0);
  const first = itemsOf(a);
  const second = itemsOf(b);
  if (first !== undefined && second !== undefined && Array.isArray(a) === Array.isArray(b)) {
    return orderedItems(operator, first, second);
  }
  for (const value of [a, b]) {
    if (value instanceof Undefined) throw undefinedFault(value.describe());
  }
  throw typeFault(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

function itemsOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value;
  return value instanceof Tuple ? value.items : undefined;
}

function orderedItems(operator: Ordering, a: readonly Value[], b: readonly Value[]): boolean {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    spend(1);
    const left = a[index] as Value;
    const right = b[index] as Value;
    if (!isSame(left, right, 0)) return compareOrder(operator, left, right);
  }
  return holds(operator, a.length, b.length);
}

function holds(operator: Ordering, a: number | bigint, b: number | bigint): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
  }
}

/** Python's `in`. */
export function contains(container: Value, item: Value): boolean {
  if (isText(container)) return containsText(textOf(container), item);
  if (container instanceof Dict) return container.has(dictKey(item));
  const listed = container instanceof Undefined || itemsOf(container) !== undefined;
  if (!listed && !(container instanceof ObjectValue && container.iterate() !== undefined)) throw notIterable(container);
  for (const element of elements(container)) if (isSame(element, item, 0)) return true;
  return false;
}

function containsText(text: string, item: Value): boolean {
  if (!isText(item)) throw typeFault(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  spend(1 + (text.length >>> 6));
  return text.includes(textOf(item));
}

function notIterable(container: Value): Error {
  return typeFault(`argument of type '${typeName(container)}' is not iterable`);
}

/** The form under which a dict stores a key; fails for what cannot be one. */
export function dictKey(value: Value): DictKey {
  if (typeof value === 'string') return textKey(value);
  if (value === null) return null;
  const number = numeric(value);
  if (number !== undefined) return isFloat(value) ? wholeKey(floatOf(value)) : number;
  if (isText(value)) return textKey(textOf(value));
  if (value instanceof Tuple) return tupleKey(value);
  if (value instanceof Undefined && !value.lenient) throw undefinedFault(value.describe());
  if (Array.isArray(value) || value instanceof Dict) throw typeFault(`unhashable type: '${typeName(value)}'`);
  return `\u0000${typeName(value)}:${identity(value as ObjectValue | Undefined)}`;
}

/** A float that is integral is the same key as the int. */
function wholeKey(value: number): DictKey {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value + 0;
}

function tupleKey(tuple: Tuple): string {
  const parts = tuple.items.map((item) => {
    spend(1);
    const key = dictKey(item);
    return typeof key === 'string' ? JSON.stringify(key) : String(key);
  });
  return `\u0000(${parts.join(',')})`;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

function identity(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  lastIdentity += 1;
  identities.set(value, lastIdentity);
  return lastIdentity;
}
