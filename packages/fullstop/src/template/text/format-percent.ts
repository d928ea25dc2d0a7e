import { Dict } from '../dict.js';
import { allowText, checkText } from '../evaluate/evaluation.js';
import { limitFault, runtimeFault, typeFault, undefinedFault, valueFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { dictKey, numeric } from '../operators/compare.js';
import { indexOf, truncateFloat } from '../operators/integer.js';
import { toFloat } from '../operators/real.js';
import {
  Float,
  isInt,
  isText,
  Markup,
  ObjectValue,
  presentOr,
  Tuple,
  textOf,
  Undefined,
  type Value,
} from '../value.js';
import { codePoints, sliceCharacters, textLength } from './code-points.js';
import { escapeHtml } from './escape-html.js';
import { formatReal } from './format-real.js';
import { intText, quote, toRepr, toText } from './python-text.js';

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly type: string;
}

/** Python's `template % argument`. */
export function formatPercent(template: string, argument: Value, escapes = false): string {
  const formatter = new PercentFormatter(template, argument, escapes);
  return formatter.run();
}

class PercentFormatter {
  readonly #template: string;
  readonly #argument: Value;
  readonly #escapes: boolean;
  readonly #items: readonly Value[];
  #at = 0;
  #used = 0;
  #mapped = false;

  constructor(template: string, argument: Value, escapes: boolean) {
    this.#template = template;
    this.#argument = argument;
    this.#escapes = escapes;
    this.#items = argument instanceof Tuple ? argument.items : [argument];
  }

  run(): string {
    let out = '';
    for (;;) {
      const next = this.#template.indexOf('%', this.#at);
      const end = next === -1 ? this.#template.length : next;
      checkText(out.length + end - this.#at);
      out += this.#template.slice(this.#at, end);
      if (next === -1) break;
      this.#at = next + 1;
      out += this.#directive();
    }
    const unused = this.#used < this.#items.length && !this.#mapped && !isMapping(this.#argument);
    if (unused) throw typeFault('not all arguments converted during string formatting');
    return out;
  }

  #directive(): string {
    const key = this.#key();
    let flags = '';
    while ('#0- +'.includes(this.#peek()) && this.#peek() !== '') flags += this.#take();
    let width = this.#number();
    const precision = this.#peek() === '.' ? this.#precision() : undefined;
    while ('hlL'.includes(this.#peek()) && this.#peek() !== '') this.#at += 1;
    const type = this.#take();
    if (type === '') throw valueFault('incomplete format');
    if (width < 0) {
      flags += '-';
      width = -width;
    }
    if (width > 10_000_000 || (precision ?? 0) > 10_000_000) throw limitFault('the width of a format is too large');
    allowText(width);
    if (type === '%' && this.#template.charAt(this.#at - 2) === '%') return '%';
    return pad(this.#convert({ flags, width, precision, type }, key), { flags, width, precision, type });
  }

  #key(): Value | undefined {
    if (this.#peek() !== '(') return undefined;
    let depth = 1;
    const start = this.#at + 1;
    let end = start;
    for (; depth > 0; end += 1) {
      if (end >= this.#template.length) throw valueFault('incomplete format key');
      if (this.#template[end] === '(') depth += 1;
      else if (this.#template[end] === ')') depth -= 1;
    }
    this.#at = end;
    if (Array.isArray(this.#argument)) throw typeFault('list indices must be integers or slices, not str');
    if (this.#argument instanceof Undefined) throw undefinedFault(this.#argument.describe());
    if (!(this.#argument instanceof Dict)) throw typeFault('format requires a mapping');
    this.#mapped = true;
    const name = this.#template.slice(start, end - 1);
    const value = this.#argument.get(dictKey(name));
    if (value === undefined) throw runtimeFault('KeyError', quote(name));
    return value;
  }

  #number(): number {
    if (this.#peek() === '*') {
      this.#at += 1;
      return indexOf(this.#next(), '* wants int');
    }
    const start = this.#at;
    while (this.#peek() >= '0' && this.#peek() <= '9') this.#at += 1;
    return Number(this.#template.slice(start, this.#at));
  }

  #precision(): number {
    this.#at += 1;
    return Math.max(0, this.#number());
  }

  #peek(): string {
    return this.#template.charAt(this.#at);
  }

  #take(): string {
    this.#at += 1;
    return this.#template.charAt(this.#at - 1);
  }

  #next(): Value {
    const item = this.#items[this.#used];
    if (item === undefined) throw typeFault('not enough arguments for format string');
    this.#used += 1;
    return item;
  }

  #convert(directive: Directive, key: Value | undefined): string {
    const { type, precision } = directive;
    if ('sra'.includes(type)) {
      const text = this.#shown(
        type,
        presentOr(key, () => this.#next()),
      );
      return precision === undefined ? text : sliceCharacters(text, 0, precision);
    }
    if (type === 'c') return character(presentOr(key, () => this.#next()));
    if ('diuoxX'.includes(type))
      return integer(
        directive,
        presentOr(key, () => this.#next()),
      );
    if ('eEfFgG'.includes(type))
      return real(
        directive,
        presentOr(key, () => this.#next()),
      );
    presentOr(key, () => this.#next());
    const code = (type.codePointAt(0) ?? 0).toString(16);
    throw valueFault(`unsupported format character '${type}' (0x${code}) at index ${this.#at - 1}`);
  }

  #shown(type: string, value: Value): string {
    const text = type === 's' ? toText(value) : toRepr(value);
    const shown = type === 'a' ? asciiOnly(text) : text;
    return this.#escapes && !(value instanceof Markup) ? escapeHtml(shown) : shown;
  }
}

/** Values that have elements may leave some unused. */
function isMapping(value: Value): boolean {
  if (value instanceof Dict || Array.isArray(value) || value instanceof Undefined) return true;
  return value instanceof ObjectValue && value.element(0) !== undefined;
}

/** Escapes what is not ASCII, as Python's `ascii` does. */
export function asciiOnly(text: string): string {
  let out = '';
  for (const item of text) {
    const code = item.codePointAt(0) ?? 0;
    if (code < 127) out += item;
    else if (code <= 0xff) out += `\\x${code.toString(16).padStart(2, '0')}`;
    else
      out += code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
  }
  return out;
}

function character(value: Value): string {
  if (isText(value)) {
    const text = textOf(value);
    if ((codePoints(text) ?? text).length !== 1) throw typeFault('%c requires int or char');
    return text;
  }
  if (typeof value === 'boolean') return String.fromCodePoint(Number(value));
  if (!isInt(value)) throw typeFault('%c requires int or char');
  if (value < 0 || value > 0x10ffff) throw runtimeFault('OverflowError', '%c arg not in range(0x110000)');
  return String.fromCodePoint(Number(value));
}

function integer({ flags, precision, type, width }: Directive, value: Value): string {
  const number = numeric(value);
  const floating = value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));
  if (value instanceof Undefined && !'oxX'.includes(type)) throw undefinedFault(value.describe());
  if (number === undefined || (floating && 'oxX'.includes(type))) {
    const wanted = 'oxX'.includes(type) ? 'an integer' : 'a real number';
    throw typeFault(`%${type} format: ${wanted} is required, not ${typeName(value)}`);
  }
  const whole = floating ? truncateFloat(Number(number)) : number;
  const negative = Number(whole) < 0;
  const digits = magnitudeText(BigInt(whole as number | bigint), type);
  const prefix = flags.includes('#') ? (prefixes.get(type) ?? '') : '';
  const padded = digits.padStart(precision ?? 0, '0');
  return addSign(prefix + zeroFilled(padded, { flags, width, taken: prefix.length }, negative), negative, flags);
}

const prefixes: ReadonlyMap<string, string> = new Map([
  ['o', '0o'],
  ['x', '0x'],
  ['X', '0X'],
]);

function magnitudeText(value: bigint, type: string): string {
  const magnitude = value < 0n ? -value : value;
  if (type === 'o') return magnitude.toString(8);
  if (type === 'x') return magnitude.toString(16);
  return type === 'X' ? magnitude.toString(16).toUpperCase() : intText(magnitude);
}

function real(directive: Directive, value: Value): string {
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (numeric(value) === undefined) throw typeFault(`must be real number, not ${typeName(value)}`);
  const number = toFloat(value);
  const negative = number < 0 || Object.is(number, -0);
  const style = directive.type.toLowerCase() as 'e' | 'f' | 'g';
  const alternate = directive.flags.includes('#');
  const text = formatReal(Math.abs(number), { style, precision: directive.precision ?? 6, alternate });
  const cased = directive.type === style ? text : text.toUpperCase();
  const filled = Number.isFinite(number)
    ? zeroFilled(cased, { flags: directive.flags, width: directive.width, taken: 0 }, negative)
    : cased;
  return addSign(filled, negative, directive.flags);
}

function zeroFilled(digits: string, room: { flags: string; width: number; taken: number }, negative: boolean): string {
  if (!room.flags.includes('0') || room.flags.includes('-')) return digits;
  const sign = negative || room.flags.includes('+') || room.flags.includes(' ') ? 1 : 0;
  return digits.padStart(room.width - room.taken - sign, '0');
}

function addSign(text: string, negative: boolean, flags: string): string {
  if (negative) return `-${text}`;
  if (flags.includes('+')) return `+${text}`;
  return flags.includes(' ') ? ` ${text}` : text;
}

function pad(text: string, { flags, width }: Directive): string {
  const missing = width - textLength(text);
  if (missing <= 0) return text;
  return flags.includes('-') ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
}
