/**
 * A list that only grows. All states share the items, and each sees as many as it knows of, so that adding one is neither a
 * copy nor a change to an earlier state.
 */
export interface Log<T> {
  readonly items: readonly T[];
  readonly length: number;
}

export function emptyLog<T>(): Log<T> {
  return { items: [], length: 0 };
}

/** A log of its own with these items. */
export function logOf<T>(items: readonly T[]): Log<T> {
  return { items: [...items], length: items.length };
}

/** The log with one more item. */
export function added<T>(log: Log<T>, item: T): Log<T> {
  // Not by `itemsOf`: every step adds to seven logs.
  const items = (log.items.length === log.length ? log.items : log.items.slice(0, log.length)) as T[];
  items.push(item);
  return { items, length: items.length };
}

/** The log with more items. */
export function appendAll<T>(log: Log<T>, more: readonly T[]): Log<T> {
  if (more.length === 0) return log;
  const items = itemsOf(log) as T[];
  for (const item of more) items.push(item);
  return { items, length: items.length };
}

/** The items that this state knows; the same list for the newest state every time. */
export function itemsOf<T>(log: Log<T>): readonly T[] {
  return log.items.length === log.length ? log.items : log.items.slice(0, log.length);
}
