import { valueToJson } from '../../template/json-text.js';
import type { JsonValue } from '../../termination/json.js';
import { readJson } from '../source/read-json.js';

/** Outputs and inputs are kept as JSON text. */
export function parsedText(text: JsonValue | undefined): JsonValue | undefined {
  const read = typeof text === 'string' ? readJson(text) : undefined;
  return read === undefined ? text : valueToJson(read.value);
}
