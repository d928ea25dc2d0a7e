import { relative, resolve } from 'node:path';
import { isThere } from '../command-line/is-there.js';
import { UsageError } from '../command-line/usage-error.js';

/** The file that was named on the command line, which must be there. */
export function workflowFile(named: string, cwd: string): string {
  const file = resolve(cwd, named);
  if (!isThere(file))
    throw new UsageError(`There is no file ${relative(cwd, file)}. fullstop init writes one to start with.`);
  return shownPath(file, cwd);
}

/** As one would type it here. */
export function shownPath(file: string, cwd: string): string {
  const near = relative(cwd, file);
  return near.startsWith('..') ? file : near;
}
