/** The grammar of the keys in the journal of a foreign run: `turn:3` is the third thing heard of it, `stop:4` its end. */

/** The key of the wait for what a foreign run does next. */
export function makeTurnKey(number: number): string {
  return `turn:${number}`;
}

/** The key of the wait for a foreign run that was told to stop. */
export function makeStopKey(number: number): string {
  return `stop:${number}`;
}
