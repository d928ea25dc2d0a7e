import { at } from '../termination/check.js';
import { isObject } from '../termination/json.js';

/** The paths of all scalars, empty lists and empty objects in a value. */
export function leafPaths(value: unknown, path = ''): readonly string[] {
  const members = membersOf(value);
  if (members === undefined || (members.length === 0 && path !== '')) return [path];
  return members.flatMap(([key, member]) => (member === undefined ? [] : leafPaths(member, at(path, key))));
}

/** The paths of `left` that `right` does not have, or has otherwise. Paths that only `right` has do not count. */
export function differences(left: unknown, right: unknown, path = ''): readonly string[] {
  const members = membersOf(left);
  if (members === undefined) return left === right ? [] : [path];
  if (membersOf(right) === undefined || Array.isArray(left) !== Array.isArray(right)) return leafPaths(left, path);
  if (members.length === 0) return membersOf(right)?.length === 0 || path === '' ? [] : [path];
  return members.flatMap(([key, member]) =>
    member === undefined ? [] : differences(member, (right as Record<string | number, unknown>)[key], at(path, key)),
  );
}

function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] | undefined {
  if (Array.isArray(value)) return [...value.entries()];
  return isObject(value) ? Object.entries(value) : undefined;
}
