/**
 * The latest items of a list with one more after them, at most so many. Made in its final size: a copy that is then added to
 * is made twice.
 */
export function rolled<T>(list: readonly T[], item: T, most: number): readonly T[] {
  const kept = Math.min(list.length, most - 1);
  const skipped = list.length - kept;
  const result: T[] = new Array(kept + 1);
  for (let index = 0; index < kept; index += 1) result[index] = list[skipped + index] as T;
  result[kept] = item;
  return result;
}
