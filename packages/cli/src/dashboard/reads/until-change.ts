import type { StoreEngine } from 'fullstop/engines/sqlite';

/** Keeps what was read of all runs for as long as no run gets an entry. */
export type UntilChange = <T>(key: string, read: () => Promise<T>) => Promise<T>;

const mostKept = 50;

export function untilChange(engine: StoreEngine): UntilChange {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<unknown> }>();
  return async <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const { at } = await engine.changes();
    const before = kept.get(key);
    if (before?.at === at) return before.value as Promise<T>;
    const value = read();
    if (kept.size >= mostKept) kept.clear();
    kept.set(key, { at, value });
    // What failed may work the next time.
    value.catch(() => kept.delete(key));
    return value;
  };
}
