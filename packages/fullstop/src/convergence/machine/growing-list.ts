/** A list that only grows. All states share the items, and each sees as many as it knows of. */
export interface GrowingList<T> {
  readonly items: readonly T[];
  readonly length: number;
}

export function emptyList<T>(): GrowingList<T> {
  return { items: [], length: 0 };
}

/** The list with more items: neither a copy nor a change to an earlier state. */
export function grown<T>(list: GrowingList<T>, more: readonly T[]): GrowingList<T> {
  if (more.length === 0) return list;
  const items = itemsOf(list) as T[];
  for (const item of more) items.push(item);
  return { items, length: items.length };
}

/** The items that this state knows. */
export function itemsOf<T>(list: GrowingList<T>): readonly T[] {
  return list.items.length === list.length ? list.items : list.items.slice(0, list.length);
}
