/** Closes an exhaustive switch: a new case that nobody handles is a compile error, and loud at run time. */
export function assertNever(message: string, value: never): never {
  throw new TypeError(`${message}: ${String(value)}`);
}
