/**
 * A copy of JSON that nobody can change: whoever tries gets a TypeError, and what others see stays as it is. The journal, and
 * whoever made the value, keep nothing in common with it. Values that are not JSON are returned as they are.
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = frozenCopy((value as Readonly<Record<string, unknown>>)[key]);
    // Assigned, this one would become the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true });
    else copy[key] = member;
  }
  return Object.freeze(copy) as T;
}

/** The same for JSON that is ours alone, such as what was read from the journal. What is frozen already is so all the way down. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key of Object.keys(value)) frozen((value as Readonly<Record<string, unknown>>)[key]);
  return Object.freeze(value);
}
