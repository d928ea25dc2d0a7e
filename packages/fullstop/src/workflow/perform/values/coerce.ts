import { withPlainDigits } from '../../../template/text/plain-digits.js';
import { strip } from '../../../template/text/whitespace.js';
import { float, int, type Value } from '../../../template/value.js';
import { readJson } from '../../source/read-json.js';

const jsonStarts: ReadonlySet<string> = new Set(['{', '[', '"']);
const words: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads the text of a final output: a Python or JSON word, JSON, or a number; everything else stays text. */
export function coerceOutput(text: string): Value {
  const trimmed = strip(text);
  const word = words.get(trimmed);
  if (word !== undefined) return word;
  if (jsonStarts.has(trimmed.charAt(0))) {
    const read = readJson(trimmed);
    if (read !== undefined) return read.value;
  }
  return (trimmed.includes('.') ? parseFloatText(trimmed) : parseIntText(trimmed)) ?? text;
}

/** Reads the value of an `input_mapping`: JSON, or text. */
export function coerceMapping(text: string): Value {
  return readJson(text)?.value ?? (isNullText(text) ? null : text);
}

/** Reads an input from the command line. */
export function coerceInput(text: string): Value {
  const lower = text.toLowerCase();
  if (lower === 'true') return true;
  if (lower === 'false') return false;
  if (lower === 'null') return null;
  const first = text.charAt(0);
  if (first === '[' || first === '{') return readJson(text)?.value ?? text;
  return (text.includes('.') ? parseFloatText(text) : parseIntText(text)) ?? text;
}

/** An integer as Python's `int()` reads it. */
export function parseIntText(text: string): Value | undefined {
  const trimmed = withPlainDigits(strip(text));
  if (trimmed.length > 4000 || !/^[+-]?\d+(?:_\d+)*$/.test(trimmed)) return undefined;
  return int(BigInt(trimmed.replaceAll('_', '').replace(/^\+/, '')));
}

const specialFloats: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
]);

/** A float as Python's `float()` reads it. */
export function parseFloatText(text: string): Value | undefined {
  const trimmed = withPlainDigits(strip(text));
  const special = specialFloats.get(trimmed.replace(/^[+-]/, '').toLowerCase());
  if (special !== undefined) return float(trimmed.startsWith('-') ? -special : special);
  if (!/^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/.test(trimmed)) {
    return undefined;
  }
  return float(Number(trimmed.replaceAll('_', '')));
}

function isNullText(text: string): boolean {
  return strip(text) === 'null';
}
