import { callValue } from '../evaluate/call.js';
import { checkList, spend, willChange } from '../evaluate/evaluation.js';
import { runtimeFault, typeFault, valueFault } from '../evaluate/fault.js';
import { listOf } from '../evaluate/iterate.js';
import { sortBy } from '../filters/sort.js';
import { equals } from '../operators/compare.js';
import { isTrue } from '../operators/truth.js';
import { toRepr } from '../text/python-text.js';
import type { Tuple, Value } from '../value.js';
import { type MethodTable, methodTable } from './method.js';
import { intArgument } from './text-search.js';

function countOf(items: readonly Value[], wanted: Value): number {
  let count = 0;
  for (const item of items) {
    spend(1);
    if (item === wanted || equals(item, wanted)) count += 1;
  }
  return count;
}

interface Window {
  readonly start: Value | undefined;
  readonly end: Value | undefined;
}

function indexIn(items: readonly Value[], wanted: Value, window: Window): number {
  const clamp = (value: number): number => (value < 0 ? Math.max(0, value + items.length) : value);
  const from = clamp(intArgument(window.start, 0));
  const to = Math.min(items.length, clamp(intArgument(window.end, items.length)));
  for (let index = from; index < to; index += 1) {
    spend(1);
    const item = items[index] as Value;
    if (item === wanted || equals(item, wanted)) return index;
  }
  return -1;
}

function place(self: readonly Value[], value: Value | undefined): number {
  const index = intArgument(value, self.length);
  return index < 0 ? Math.max(0, index + self.length) : Math.min(index, self.length);
}

function popItem(self: Value[], index: Value | undefined): Value {
  if (self.length === 0) throw runtimeFault('IndexError', 'pop from empty list');
  const at = intArgument(index, -1);
  const position = at < 0 ? at + self.length : at;
  if (position < 0 || position >= self.length) throw runtimeFault('IndexError', 'pop index out of range');
  willChange(self);
  spend(position === self.length - 1 ? 0 : self.length >>> 6);
  return self.splice(position, 1)[0] as Value;
}

function extend(self: Value[], value: Value): null {
  const added = listOf(value);
  willChange(self);
  checkList(self.length + added.length);
  for (const item of added) self.push(item);
  return null;
}

function sortInPlace(self: Value[], key: Value | undefined, reverse: Value | undefined): null {
  const by =
    key === undefined || key === null
      ? (item: Value) => item
      : (item: Value) => callValue(key, { positional: [item], named: undefined });
  const sorted = sortBy(self, by, reverse !== undefined && isTrue(reverse));
  willChange(self);
  for (const [index, item] of sorted.entries()) self[index] = item;
  return null;
}

/** Python's list methods; changes are taken back when the evaluation ends. */
export const listMethods: MethodTable<Value[]> = methodTable<Value[]>('list', {
  append: [
    'object',
    (self, [item]) => {
      willChange(self);
      checkList(self.length + 1);
      self.push(item ?? null);
      return null;
    },
  ],
  clear: [
    '',
    (self) => {
      willChange(self);
      self.length = 0;
      return null;
    },
  ],
  copy: ['', (self) => listOf(self)],
  count: ['value', (self, [wanted]) => countOf(self, wanted ?? null)],
  extend: ['iterable', (self, [items]) => extend(self, items ?? null)],
  index: [
    'value start? stop?',
    (self, [wanted, start, end]) => {
      const index = indexIn(self, wanted ?? null, { start, end });
      if (index === -1) throw valueFault(`${toRepr(wanted ?? null)} is not in list`);
      return index;
    },
  ],
  insert: [
    'index object',
    (self, [index, item]) => {
      willChange(self);
      checkList(self.length + 1);
      spend(self.length >>> 6);
      self.splice(place(self, index), 0, item ?? null);
      return null;
    },
  ],
  pop: ['index?', (self, [index]) => popItem(self, index)],
  remove: [
    'value',
    (self, [wanted]) => {
      const index = indexIn(self, wanted ?? null, { start: undefined, end: undefined });
      if (index === -1) throw valueFault('list.remove(x): x not in list');
      willChange(self);
      self.splice(index, 1);
      return null;
    },
  ],
  reverse: [
    '',
    (self) => {
      willChange(self);
      self.reverse();
      return null;
    },
  ],
  sort: ['*key? reverse?', (self, [key, reverse]) => sortInPlace(self, key, reverse)],
});

/** Python's tuple methods. */
export const tupleMethods: MethodTable<Tuple> = methodTable<Tuple>('tuple', {
  count: ['value', (self, [wanted]) => countOf(self.items, wanted ?? null)],
  index: [
    'value start? stop?',
    (self, [wanted, start, end]) => {
      const index = indexIn(self.items, wanted ?? null, { start, end });
      if (index === -1) throw valueFault('tuple.index(x): x not in tuple');
      return index;
    },
  ],
});

/** Reads the two elements of a pair, for `dict(…)` and `update`. */
export function pairOf(value: Value, index: number): readonly [Value, Value] {
  let items: Value[];
  try {
    items = listOf(value);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw typeFault(`cannot convert dictionary update sequence element #${index} to a sequence`);
  }
  const [key, item] = items;
  if (items.length !== 2 || key === undefined || item === undefined) {
    throw valueFault(`dictionary update sequence element #${index} has length ${items.length}; 2 is required`);
  }
  return [key, item];
}
