/** True when a value bears a mark. Marks are shared by all copies of the library in a process; prototypes are not. */
export function isMarked(value: unknown, mark: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && mark in value;
  } catch {
    // A proxy may throw from any trap; whatever it is, it is nothing of ours.
    return false;
  }
}

/** Marks an object, without making the mark visible where it is printed or compared. */
export function putMark(target: object, mark: symbol): void {
  Object.defineProperty(target, mark, { value: true });
}
