import { Dict, type DictKey } from './dict.js';
import { allowText, checkText, limits, spend } from './evaluate/evaluation.js';
import { limitFault, typeFault, valueFault } from './evaluate/fault.js';
import { typeName } from './evaluate/type-name.js';
import { compareText } from './text/code-points.js';
import { floatText } from './text/float-text.js';
import { intText } from './text/python-text.js';
import { Float, isText, type ObjectValue, Tuple, textOf, type Undefined, type Value } from './value.js';

/** How a value is written as JSON text. */
export interface JsonTextOptions {
  /** Spaces per level, or the text itself; without it everything is on one line. */
  readonly indent?: number | string;
  /** Whether other characters than ASCII are escaped; on unless false. */
  readonly ascii?: boolean;
  readonly sortKeys?: boolean;
  /** The text for a value that JSON has no form for; without it such a value fails. */
  readonly fallback?: (value: Value) => string;
}

/** Writes inside an evaluation, on its fuel. */
export function writeJson(value: Value, options: JsonTextOptions): string {
  const writer = new JsonWriter(options);
  writer.write(value);
  return writer.text;
}

const plain = /^[ !#-[\]-~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these
const quotedOnly = /["\\\u0000-\u001f]/;

/** A text in JSON's quotes. */
function quoteJson(text: string, ascii: boolean): string {
  if (plain.test(text)) return `"${text}"`;
  if (!ascii) return quotedOnly.test(text) ? quoteUnits(text, false) : `"${text}"`;
  return quoteUnits(text, true);
}

function quoteUnits(text: string, ascii: boolean): string {
  allowText(text.length * 2);
  let quoted = '"';
  for (let index = 0; index < text.length; index += 1) quoted += escapeUnit(text.charCodeAt(index), ascii);
  return `${quoted}"`;
}

const named: ReadonlyMap<number, string> = new Map([
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [12, '\\f'],
  [13, '\\r'],
  [34, '\\"'],
  [92, '\\\\'],
]);

function escapeUnit(code: number, ascii: boolean): string {
  const short = named.get(code);
  if (short !== undefined) return short;
  if (code >= 32 && (code <= 126 || !ascii)) return String.fromCharCode(code);
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatText(value);
}

class JsonWriter {
  text = '';
  readonly #indent: string | undefined;
  readonly #ascii: boolean;
  readonly #sorted: boolean;
  readonly #fallback: ((value: Value) => string) | undefined;
  readonly #open: Value[] = [];

  constructor(options: JsonTextOptions) {
    this.#indent = typeof options.indent === 'number' ? ' '.repeat(Math.max(0, options.indent)) : options.indent;
    this.#ascii = options.ascii !== false;
    this.#sorted = options.sortKeys === true;
    this.#fallback = options.fallback;
  }

  write(value: Value): void {
    if (Array.isArray(value)) this.#array(value, value);
    else if (value instanceof Tuple) this.#array(value, value.items);
    else if (value instanceof Dict) this.#object(value);
    else this.#add(this.#atom(value));
  }

  #add(text: string): void {
    checkText(this.text.length + text.length);
    spend(1 + (text.length >>> 5));
    this.text += text;
  }

  #atom(value: Exclude<Value, Value[] | Tuple | Dict>): string {
    if (value === null) return 'null';
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    if (isText(value)) return quoteJson(textOf(value), this.#ascii);
    if (typeof value === 'number') return Number.isInteger(value) ? String(value + 0) : numberText(value);
    if (typeof value === 'bigint') return intText(value);
    if (value instanceof Float) return numberText(value.value);
    return this.#other(value);
  }

  #other(value: Undefined | ObjectValue): string {
    if (this.#fallback !== undefined) return quoteJson(this.#fallback(value), this.#ascii);
    throw typeFault(`Object of type ${typeName(value)} is not JSON serializable`);
  }

  #array(value: Value, items: readonly Value[]): void {
    if (items.length === 0) {
      this.#add('[]');
      return;
    }
    this.#enter(value);
    this.#add('[');
    for (let index = 0; index < items.length; index += 1) {
      this.#separate(index);
      this.write(items[index] as Value);
    }
    this.#leave(']');
  }

  #object(value: Dict): void {
    if (value.size === 0) {
      this.#add('{}');
      return;
    }
    this.#enter(value);
    this.#add('{');
    let index = 0;
    for (const [key, item] of this.#members(value)) {
      this.#separate(index);
      index += 1;
      this.#add(`${quoteJson(keyText(key), this.#ascii)}: `);
      this.write(item);
    }
    this.#leave('}');
  }

  #members(value: Dict): Iterable<readonly [Value, Value]> {
    if (!this.#sorted) return value.entries();
    return [...value.entries()].sort(([a], [b]) => compareKeys(a, b));
  }

  #enter(value: Value): void {
    if (this.#open.includes(value)) throw valueFault('Circular reference detected');
    if (this.#open.length >= limits.valueDepth)
      throw limitFault('a value nested this deeply cannot be written as JSON');
    this.#open.push(value);
  }

  #separate(index: number): void {
    if (this.#indent === undefined) {
      if (index > 0) this.#add(', ');
      return;
    }
    this.#add(`${index > 0 ? ',' : ''}\n${this.#indent.repeat(this.#open.length)}`);
  }

  #leave(close: string): void {
    this.#open.pop();
    this.#add(this.#indent === undefined ? close : `\n${this.#indent.repeat(this.#open.length)}${close}`);
  }
}

function keyText(key: Value): string {
  if (isText(key)) return textOf(key);
  if (key === null) return 'null';
  if (typeof key === 'boolean') return key ? 'true' : 'false';
  if (typeof key === 'bigint') return intText(key);
  if (typeof key === 'number') return Number.isInteger(key) ? String(key + 0) : numberText(key);
  if (key instanceof Float) return numberText(key.value);
  throw typeFault(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function sortable(key: Value): DictKey | undefined {
  if (isText(key)) return textOf(key);
  if (typeof key === 'boolean') return Number(key);
  if (key instanceof Float) return key.value;
  return typeof key === 'number' || typeof key === 'bigint' ? key : undefined;
}

function compareKeys(a: Value, b: Value): number {
  const left = sortable(a);
  const right = sortable(b);
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  const comparable = left !== undefined && right !== undefined && typeof left !== 'string' && typeof right !== 'string';
  if (!comparable || left === null || right === null) {
    throw typeFault(`'<' not supported between instances of '${typeName(b)}' and '${typeName(a)}'`);
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
