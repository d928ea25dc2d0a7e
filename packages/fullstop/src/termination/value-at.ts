import { isObject } from './json.js';

/** The value at a path such as `gates[2].gateId`; undefined as soon as something on the way is missing. */
export function valueAt(source: unknown, path: string): unknown {
  let current = source;
  for (const key of path.split(/[.[\]]+/)) {
    if (key === '') continue;
    if ((!isObject(current) && !Array.isArray(current)) || !Object.hasOwn(current, key)) return undefined;
    current = (current as Readonly<Record<string, unknown>>)[key];
  }
  return current;
}
