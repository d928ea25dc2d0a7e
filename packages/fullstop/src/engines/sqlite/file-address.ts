import { pathToFileURL } from 'node:url';
import type { OpenMode } from './driver.js';

/** The address by which SQLite opens a file as one that may not be written. */
export function addressOf(file: string, mode: Exclude<OpenMode, 'write'>): string {
  return `${pathToFileURL(file).href}?mode=ro${mode === 'frozen' ? '&immutable=1' : ''}`;
}
