import { allowList, spend } from '../evaluate/evaluation.js';
import { compareOrder } from '../operators/compare.js';
import type { Value } from '../value.js';

interface Pair {
  readonly item: Value;
  readonly key: Value;
}

/** Below this size elements are inserted one by one, in Python's order of comparisons. */
const insertionSize = 64;

/** Sorts stably by keys, as Python's `sorted` does: it asks only whether one key is less than another. */
export function sortBy(items: readonly Value[], key: (item: Value) => Value, reverse: boolean): Value[] {
  allowList(items.length);
  const pairs = items.map((item) => ({ item, key: key(item) }));
  if (reverse) pairs.reverse();
  if (pairs.length < insertionSize) insertionSort(pairs);
  else pairs.sort(comparePairs);
  if (reverse) pairs.reverse();
  return pairs.map((pair) => pair.item);
}

function isLess(a: Pair, b: Pair): boolean {
  spend(1);
  return compareOrder('<', a.key, b.key);
}

function comparePairs(a: Pair, b: Pair): number {
  if (isLess(b, a)) return 1;
  return isLess(a, b) ? -1 : 0;
}

function insertionSort(pairs: Pair[]): void {
  for (let start = runLength(pairs); start < pairs.length; start += 1) {
    const pivot = pairs[start] as Pair;
    let low = 0;
    let high = start;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isLess(pivot, pairs[middle] as Pair)) high = middle;
      else low = middle + 1;
    }
    pairs.splice(start, 1);
    pairs.splice(low, 0, pivot);
  }
}

/** How many elements at the beginning are in order already; a strictly falling run is turned around. */
function runLength(pairs: Pair[]): number {
  if (pairs.length < 2) return pairs.length;
  const falling = isLess(pairs[1] as Pair, pairs[0] as Pair);
  let end = 2;
  while (end < pairs.length && isLess(pairs[end] as Pair, pairs[end - 1] as Pair) === falling) end += 1;
  if (falling) pairs.unshift(...pairs.splice(0, end).reverse());
  return end;
}
