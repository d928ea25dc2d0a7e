import { closeSync, openSync } from 'node:fs';

/**
 * Makes an empty file that only its owner can read, unless there is a file already. SQLite gives its log and its index the
 * same mode. What is wrong with the path is left to SQLite to say.
 */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch {
    // It is there, or it cannot be: opening it says which.
  }
}
