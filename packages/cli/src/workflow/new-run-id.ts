import { randomBytes } from 'node:crypto';

// Without letters that look like digits, so that an id can be read out and typed.
const letters = '23456789abcdefghjkmnpqrstuvwxyz';

/** A short id for a new run, such as `r_8fk2m9xq`. */
export function newRunId(): string {
  return `r_${[...randomBytes(8)].map((byte) => letters[byte % letters.length]).join('')}`;
}
