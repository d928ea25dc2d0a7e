import { isObject, type JsonValue } from '../termination/json.js';
import { Dict } from './dict.js';
import { evaluating } from './evaluate/evaluation.js';
import { locateErrors } from './evaluate/located.js';
import { type JsonTextOptions, writeJson } from './json-writer.js';
import { toText } from './text/python-text.js';
import { Float, float, isText, Tuple, textOf, type Value } from './value.js';

export { readJsonText } from './json-reader.js';
export type { JsonTextOptions } from './json-writer.js';

/** Writes a value as Python's `json.dumps` does; throws a `TemplateError` for what JSON has no form for. */
export function writeJsonText(value: Value, options: JsonTextOptions = {}): string {
  return locateErrors({ source: '', text: (fault) => fault.message }, () =>
    evaluating(0, () => writeJson(value, options)),
  );
}

/** Makes a value of JSON data: integral numbers become ints. */
export function valueFromJson(json: JsonValue): Value {
  if (typeof json === 'number') return Number.isInteger(json) && !Number.isSafeInteger(json) ? float(json) : json;
  if (Array.isArray(json)) return json.map((item: JsonValue) => valueFromJson(item));
  if (!isObject(json)) return json as string | boolean | null;
  const dict = new Dict();
  for (const key of Object.keys(json)) dict.setText(key, valueFromJson(json[key] as JsonValue));
  return dict;
}

/** Makes JSON data of a value; large ints lose digits, numbers that are not finite become null. */
export function valueToJson(value: Value): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) return value.map(valueToJson);
  if (value instanceof Tuple) return value.items.map(valueToJson);
  if (value instanceof Dict) return objectOf(value);
  return isText(value) ? textOf(value) : toText(value);
}

function objectOf(dict: Dict): JsonValue {
  const entries: [string, JsonValue][] = [];
  for (const [key, item] of dict.entries()) entries.push([toText(key), valueToJson(item)]);
  return Object.fromEntries(entries);
}
