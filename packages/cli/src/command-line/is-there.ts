import { statSync } from 'node:fs';

/** Whether there is a file or folder. One that this user may not look at is not missing: that is an error, which says so. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
