import { Dict } from '../dict.js';
import { allowText, checkText, limits, spend } from '../evaluate/evaluation.js';
import { limitFault, undefinedFault, valueFault } from '../evaluate/fault.js';
import { Float, isText, Markup, ObjectValue, Tuple, Undefined, type Value } from '../value.js';
import { floatText } from './float-text.js';

/** Python prints ints of at most this many digits. */
const digitLimit = 4300;

/** A value as Python's `str` returns it. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? String(value + 0) : floatText(value);
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return undefinedText(value);
  return toRepr(value);
}

/** A value as Python's `repr` returns it. */
export function toRepr(value: Value): string {
  if (typeof value === 'string') return quote(value);
  const writer = new ReprWriter();
  writer.write(value);
  return writer.text;
}

function undefinedText(value: Undefined): string {
  if (value.lenient) return '';
  throw undefinedFault(value.describe());
}

/** An int in decimal digits. */
export function intText(value: number | bigint): string {
  if (typeof value === 'number') return String(value + 0);
  if (value > 10n ** BigInt(digitLimit) || value < -(10n ** BigInt(digitLimit))) {
    throw valueFault(
      `Exceeds the limit (${digitLimit} digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit`,
    );
  }
  return value.toString();
}

class ReprWriter {
  text = '';
  readonly #open: Value[] = [];

  write(value: Value): void {
    if (isText(value)) this.#add(typeof value === 'string' ? quote(value) : `Markup(${quote(value.text)})`);
    else if (Array.isArray(value)) this.#sequence(value, value, ['[', ']']);
    else if (value instanceof Tuple) this.#sequence(value, value.items, ['(', value.items.length === 1 ? ',)' : ')']);
    else if (value instanceof Dict) this.#dict(value);
    else this.#add(atomText(value));
  }

  #add(text: string): void {
    checkText(this.text.length + text.length);
    spend(1 + (text.length >>> 5));
    this.text += text;
  }

  #sequence(value: Value, items: readonly Value[], [open, close]: readonly [string, string]): void {
    if (!this.#enter(value, `${open}...${close === ',)' ? ')' : close}`)) return;
    this.#add(open);
    for (let index = 0; index < items.length; index += 1) {
      if (index > 0) this.#add(', ');
      this.write(items[index] as Value);
    }
    this.#add(close);
    this.#open.pop();
  }

  #dict(value: Dict): void {
    if (!this.#enter(value, '{...}')) return;
    this.#add('{');
    let first = true;
    for (const [key, item] of value.entries()) {
      if (!first) this.#add(', ');
      first = false;
      this.write(key);
      this.#add(': ');
      this.write(item);
    }
    this.#add('}');
    this.#open.pop();
  }

  #enter(value: Value, cycle: string): boolean {
    if (this.#open.includes(value)) {
      this.#add(cycle);
      return false;
    }
    if (this.#open.length >= limits.valueDepth) throw limitFault('a value nested this deeply cannot be printed');
    this.#open.push(value);
    return true;
  }
}

function atomText(value: Exclude<Value, string | Markup | Value[] | Tuple | Dict>): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value + 0) : floatText(value);
  if (typeof value === 'bigint') return intText(value);
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof ObjectValue) return value.text();
  return 'Undefined';
}

const plain = /^[ !#-&(-[\]-~]*$/;
const unprintable = /[\p{C}\p{Z}]/u;
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** A text in Python's quotes. */
export function quote(text: string): string {
  if (plain.test(text)) return `'${text}'`;
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  allowText(text.length * 2);
  let quoted = mark;
  for (const character of text) quoted += escapeCharacter(character, mark);
  return quoted + mark;
}

function escapeCharacter(character: string, mark: string): string {
  if (character === mark) return `\\${mark}`;
  const short = Object.hasOwn(shortEscapes, character) ? shortEscapes[character] : undefined;
  if (short !== undefined) return short;
  if (character === ' ' || !unprintable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
