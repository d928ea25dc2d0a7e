import { readJsonText, writeJsonText } from '../template/json-text.js';

/** JSON text as the reference prints a result: two spaces per level, everything but ASCII escaped. */
export function formatOutput(text: string): string {
  return writeJsonText(readJsonText(text), { indent: 2, ascii: true });
}
