import type { Ending } from './ending.js';
import { isObject } from './json.js';

/** True when two terminations say the same; the order of their keys does not matter. */
export function equals(left: Ending, right: Ending): boolean {
  const compared = new Map<object, Set<object>>();
  // A list of pairs, not recursion: chains of children may be deeper than the stack.
  const pairs: [unknown, unknown][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (Object.is(one, other) || one === other) continue;
    const members = memberPairs(one, other);
    if (members === undefined) return false;
    if (!isFirstTime(compared, one as object, other as object)) continue;
    for (const member of members) pairs.push(member);
  }
  return true;
}

/** The members of two lists or two objects side by side; undefined where the two already differ. */
function memberPairs(one: unknown, other: unknown): [unknown, unknown][] | undefined {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length ? one.map((item, index) => [item, other[index]]) : undefined;
  }
  if (!isObject(one) || !isObject(other)) return undefined;
  const keys = presentKeys(one);
  if (keys.length !== presentKeys(other).length) return undefined;
  if (!keys.every((key) => Object.hasOwn(other, key))) return undefined;
  return keys.map((key) => [one[key], other[key]]);
}

/** A field that is undefined counts as left out. */
function presentKeys(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** False for a pair that is being compared already: a circle holds unless something else differs. */
function isFirstTime(compared: Map<object, Set<object>>, one: object, other: object): boolean {
  const others = compared.get(one) ?? new Set();
  if (others.has(other)) return false;
  compared.set(one, others.add(other));
  return true;
}
