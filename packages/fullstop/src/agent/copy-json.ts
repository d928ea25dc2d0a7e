import type { JsonValue } from '../termination/json.js';

/** A copy of plain JSON: what user code is given is its own, so that changing it changes nothing that the journal holds. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => copyJson(item)) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = copyJson((value as unknown as Record<string, JsonValue>)[key]);
    // A plain assignment of this name would change what the copy inherits from.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: item, enumerable: true, writable: true });
    else copy[key] = item;
  }
  return copy as T;
}
