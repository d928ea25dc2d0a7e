/** A promise that never settles: what a dropped body awaits. It holds nothing, so the body can be collected. */
export function waitForever<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
