import { allowText, spend } from '../evaluate/evaluation.js';

const found = /[&<>"']/;
const unsafe = /[&<>"']/g;
const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
]);

/** A text with the five characters that matter in HTML escaped. */
export function escapeHtml(text: string): string {
  if (text.length > 32) spend(text.length >>> 5);
  if (!found.test(text)) return text;
  allowText(text.length * 5);
  return text.replace(unsafe, (character) => entities.get(character) ?? character);
}
