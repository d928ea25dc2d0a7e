import { pathToFileURL } from 'node:url';

/**
 * How a file is opened: to write; only to read it beside those who write; or as one that nobody writes to, for which SQLite makes no files
 * beside it.
 */
export type OpenMode = 'write' | 'read' | 'frozen';

/** The address by which SQLite opens a file as one that may not be written. */
export function addressOf(file: string, mode: Exclude<OpenMode, 'write'>): string {
  return `${pathToFileURL(file).href}?mode=ro${mode === 'frozen' ? '&immutable=1' : ''}`;
}
