import { Dict } from '../dict.js';
import { allowList, nextRandom } from '../evaluate/evaluation.js';
import { runtimeFault, typeFault, undefinedFault } from '../evaluate/fault.js';
import { elements, iterate, listOf } from '../evaluate/iterate.js';
import { typeName } from '../evaluate/type-name.js';
import { IteratorValue } from '../library/object-values.js';
import type { Bound } from '../library/signature.js';
import { intArgument } from '../library/text-search.js';
import { binary } from '../operators/arithmetic.js';
import { compareOrder, dictKey, equals } from '../operators/compare.js';
import { isTrue } from '../operators/truth.js';
import { codePoints, textLength } from '../text/code-points.js';
import { isText, Markup, ObjectValue, presentOr, Tuple, textOf, Undefined, type Value } from '../value.js';
import { attributeGetter, attributesGetter, ignoreCase } from './attribute-path.js';
import { type Filter, filter } from './filter.js';
import { GroupValue } from './group-value.js';
import { sortBy } from './sort.js';

/** The number of elements; fails for what has none. */
export function lengthOf(value: Value): number {
  if (isText(value)) return textLength(textOf(value));
  if (Array.isArray(value)) return value.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Tuple) return value.items.length;
  if (value instanceof Undefined) {
    if (value.lenient) return 0;
    throw undefinedFault(value.describe());
  }
  const length = value instanceof ObjectValue ? value.length() : undefined;
  if (length === undefined) throw typeFault(`object of type '${typeName(value)}' has no len()`);
  return length;
}

function nothing(message: string): Value {
  return new Undefined(() => message);
}

function firstOf([value = null]: Bound): Value {
  const next = iterate(value).next();
  return next.done === true ? nothing('No first item, sequence was empty.') : next.value;
}

function lastOf([value = null]: Bound): Value {
  return presentOr(reversedItems(value).at(0), () => nothing('No last item, sequence was empty.'));
}

/** The elements from the last to the first; iterators cannot be turned around. */
function reversedItems(value: Value): Value[] {
  if (value instanceof Undefined) return listOf(value);
  const reversible = isText(value) || Array.isArray(value) || value instanceof Dict || value instanceof Tuple;
  const sized = value instanceof ObjectValue && value.length() !== undefined;
  if (!reversible && !sized) throw typeFault(`'${typeName(value)}' object is not reversible`);
  return listOf(value).reverse();
}

function reverseValue([value = null]: Bound): Value {
  if (isText(value)) {
    const text = textOf(value);
    const turned = (codePoints(text) ?? text.split('')).reverse().join('');
    return value instanceof Markup ? new Markup(turned) : turned;
  }
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (value instanceof IteratorValue) return listOf(value).reverse();
  if (!(Array.isArray(value) || value instanceof Dict || value instanceof Tuple || value instanceof ObjectValue)) {
    throw runtimeFault('FilterArgumentError', 'argument must be iterable');
  }
  return new IteratorValue(reversedItems(value)[Symbol.iterator](), '', 'list_reverseiterator');
}

function randomOf([value = null]: Bound): Value {
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  const length = lengthOf(value);
  if (length === 0) return nothing('No random item, sequence was empty.');
  return listOf(value)[Math.floor(nextRandom() * length)] as Value;
}

function sortItems([value = null, reverse = false, caseSensitive = false, attribute = null]: Bound): Value {
  const getter = attributesGetter(attribute);
  const exact = isTrue(caseSensitive);
  const key = (item: Value): Value => (exact ? getter(item) : getter(item).map(ignoreCase));
  return sortBy(listOf(value), key, isTrue(reverse));
}

function dictSorted([value = null, caseSensitive = false, by = 'key', reverse = false]: Bound): Value {
  if (by !== 'key' && by !== 'value') {
    throw runtimeFault('FilterArgumentError', 'You can only sort by either "key" or "value"');
  }
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (!(value instanceof Dict))
    throw runtimeFault('AttributeError', `'${typeName(value)}' object has no attribute 'items'`);
  const exact = isTrue(caseSensitive);
  const pairs = [...value.entries()].map((pair) => new Tuple(pair));
  const key = (pair: Value): Value => {
    const part = (pair as Tuple).items[by === 'key' ? 0 : 1] as Value;
    return exact ? part : ignoreCase(part);
  };
  return sortBy(pairs, key, isTrue(reverse));
}

function extreme([value = null, caseSensitive = false, attribute = null]: Bound, operator: '<' | '>'): Value {
  const getter = attributeGetter(attribute);
  const key = isTrue(caseSensitive) ? getter : (item: Value): Value => ignoreCase(getter(item));
  let best: { item: Value; key: Value } | undefined;
  for (const item of elements(value)) {
    const candidate = { item, key: key(item) };
    if (best === undefined || compareOrder(operator, candidate.key, best.key)) best = candidate;
  }
  return presentOr(best?.item, () => nothing('No aggregated item, sequence was empty.'));
}

function unique([value = null, caseSensitive = false, attribute = null]: Bound): Value {
  const getter = attributeGetter(attribute);
  const exact = isTrue(caseSensitive);
  return new IteratorValue(
    (function* () {
      const seen = new Set<unknown>();
      for (const item of elements(value)) {
        const key = dictKey(exact ? getter(item) : ignoreCase(getter(item)));
        if (seen.has(key)) continue;
        seen.add(key);
        yield item;
      }
    })(),
    'sync_do_unique',
  );
}

function groupItems([value = null, attribute = null, fallback = null, caseSensitive = false]: Bound): Value {
  const getter = attributeGetter(attribute, fallback);
  const exact = isTrue(caseSensitive);
  const key = exact ? getter : (item: Value): Value => ignoreCase(getter(item));
  const groups: { key: Value; items: Value[] }[] = [];
  for (const item of sortBy(listOf(value), key, false)) {
    const current = key(item);
    const last = groups.at(-1);
    if (last !== undefined && equals(last.key, current)) last.items.push(item);
    else groups.push({ key: current, items: [item] });
  }
  return groups.map(({ items, key: shared }) => new GroupValue(exact ? shared : getter(items[0] as Value), items));
}

function sumItems([value = null, attribute = null, start = 0]: Bound): Value {
  if (isText(start)) throw typeFault("sum() can't sum strings [use ''.join(seq) instead]");
  const getter = attributeGetter(attribute);
  let total: Value = start;
  for (const item of elements(value)) total = binary('+', total, getter(item));
  return total;
}

function batchItems([value = null, count = 0, fill = null]: Bound): Value {
  const size = intArgument(count, 0);
  return new IteratorValue(
    (function* () {
      let batch: Value[] = [];
      for (const item of elements(value)) {
        if (batch.length === size) {
          yield batch;
          batch = [];
        }
        batch.push(item);
      }
      if (batch.length === 0) return;
      if (fill !== null) {
        allowList(Math.max(0, size));
        while (batch.length < size) batch.push(fill);
      }
      yield batch;
    })(),
    'do_batch',
  );
}

function sliceItems([value = null, count = 0, fill = null]: Bound): Value {
  const slices = intArgument(count, 0);
  return new IteratorValue(
    (function* () {
      const items = listOf(value);
      if (slices === 0) throw runtimeFault('ZeroDivisionError', 'integer division or modulo by zero');
      allowList(Math.max(0, slices));
      const size = Math.floor(items.length / slices);
      const extra = items.length % slices;
      let at = 0;
      for (let index = 0; index < slices; index += 1) {
        const end = at + size + (index < extra ? 1 : 0);
        const part = items.slice(at, end);
        at = end;
        if (fill !== null && index >= extra) part.push(fill);
        yield part;
      }
    })(),
    'sync_do_slice',
  );
}

function itemsOf([value = null]: Bound): Value {
  return new IteratorValue(
    (function* () {
      if (value instanceof Undefined) return;
      if (!(value instanceof Dict)) throw typeFault('Can only get item pairs from a mapping.');
      for (const pair of value.entries()) yield new Tuple(pair);
    })(),
    'do_items',
  );
}

/** Filters about sequences and mappings. */
export const sequenceFilters: readonly (readonly [string, Filter])[] = [
  ['batch', filter('do_batch', 'value linecount fill_with?', batchItems)],
  ['count', filter('len', 'obj', ([value = null]) => lengthOf(value))],
  ['dictsort', filter('do_dictsort', 'value case_sensitive? by? reverse?', dictSorted)],
  ['first', filter('sync_do_first', 'seq', firstOf, 1)],
  ['groupby', filter('sync_do_groupby', 'value attribute default? case_sensitive?', groupItems, 1)],
  ['items', filter('do_items', 'value', itemsOf)],
  ['last', filter('do_last', 'seq', lastOf, 1)],
  ['length', filter('len', 'obj', ([value = null]) => lengthOf(value))],
  ['list', filter('sync_do_list', 'value', ([value = null]) => listOf(value))],
  ['max', filter('do_max', 'value case_sensitive? attribute?', (args) => extreme(args, '>'), 1)],
  ['min', filter('do_min', 'value case_sensitive? attribute?', (args) => extreme(args, '<'), 1)],
  ['random', filter('do_random', 'seq', randomOf, 1)],
  ['reverse', filter('do_reverse', 'value', reverseValue)],
  ['slice', filter('sync_do_slice', 'value slices fill_with?', sliceItems)],
  ['sort', filter('do_sort', 'value reverse? case_sensitive? attribute?', sortItems, 1)],
  ['sum', filter('sync_do_sum', 'iterable attribute? start?', sumItems, 1)],
  ['unique', filter('sync_do_unique', 'value case_sensitive? attribute?', unique, 1)],
];
