import { readJsonText } from '../../template/json-text.js';
import type { Value } from '../../template/value.js';

/** JSON in a text, if it is that. */
export function readJson(text: string): { readonly value: Value } | undefined {
  try {
    return { value: readJsonText(text) };
  } catch {
    // Not JSON: the caller takes it as text.
    return undefined;
  }
}
