import { Dict } from '../dict.js';
import { limits, spend } from '../evaluate/evaluation.js';
import { Fault, limitFault } from '../evaluate/fault.js';
import { toRepr } from '../text/python-text.js';
import { Tuple, type Value } from '../value.js';
import { sortBy } from './sort.js';

const width = 80;

/** A value over several lines when one is too short, as Python's `pprint` lays it out. */
export function prettyText(value: Value): string {
  return layOut(value, 0, { after: 0, depth: 0 });
}

interface Room {
  /** Characters that must fit after the value on its line. */
  readonly after: number;
  readonly depth: number;
}

function layOut(value: Value, indent: number, room: Room): string {
  spend(1);
  if (room.depth > limits.valueDepth) throw limitFault('a value nested this deeply cannot be printed');
  const line = toRepr(orderKeys(value, 0));
  if (line.length <= width - indent - room.after) return line;
  if (Array.isArray(value) && value.length > 0) return `[${lines(value, indent, { ...room, after: room.after + 1 })}]`;
  if (value instanceof Tuple && value.items.length > 0) {
    const comma = value.items.length === 1 ? ',' : '';
    return `(${lines(value.items, indent, { ...room, after: room.after + 1 + comma.length })}${comma})`;
  }
  if (value instanceof Dict && value.size > 0) return `{${members(value, indent, room)}}`;
  return line;
}

function lines(items: readonly Value[], indent: number, room: Room): string {
  const last = items.length - 1;
  return items
    .map((item, index) => layOut(item, indent + 1, { after: index === last ? room.after : 1, depth: room.depth + 1 }))
    .join(`,\n${' '.repeat(indent + 1)}`);
}

function members(dict: Dict, indent: number, room: Room): string {
  const entries = sortedEntries(dict);
  return entries
    .map(([key, value], index) => {
      const name = toRepr(key);
      const after = index === entries.length - 1 ? room.after + 1 : 1;
      return `${name}: ${layOut(value, indent + name.length + 3, { after, depth: room.depth + 1 })}`;
    })
    .join(`,\n${' '.repeat(indent + 1)}`);
}

/** The entries by key; keys that cannot be compared stay in their order. */
function sortedEntries(dict: Dict): [Value, Value][] {
  const entries = [...dict.entries()];
  try {
    const keys = sortBy(
      entries.map(([key]) => key),
      (key) => key,
      false,
    );
    const byKey = new Map(entries);
    return keys.map((key) => [key, byKey.get(key) as Value]);
  } catch (error) {
    if (error instanceof Fault && error.errorType === 'TypeError') return entries;
    throw error;
  }
}

/** The same value with every dict in the order of its keys. */
function orderKeys(value: Value, depth: number): Value {
  spend(1);
  if (depth > limits.valueDepth) throw limitFault('a value nested this deeply cannot be printed');
  if (Array.isArray(value)) return value.map((item) => orderKeys(item, depth + 1));
  if (value instanceof Tuple) return new Tuple(value.items.map((item) => orderKeys(item, depth + 1)));
  if (!(value instanceof Dict)) return value;
  const sorted = new Dict();
  for (const [key, item] of sortedEntries(value)) put(sorted, key, orderKeys(item, depth + 1));
  return sorted;
}

function put(dict: Dict, key: Value, value: Value): void {
  if (typeof key === 'string') dict.setText(key, value);
  else dict.set(`\u0000pretty${dict.size}`, key, value);
}
