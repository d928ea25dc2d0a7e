import { Dict } from './dict.js';
import { TemplateError } from './template-error.js';
import { float, int, type Value } from './value.js';

const depthLimit = 500;
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a string
const plainText = /[^"\\\u0000-\u001f]*/y;
const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const words: readonly (readonly [string, Value])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];

/** Reads JSON text, keeping `1.0` apart from `1` and integers of any size. */
export function readJsonText(text: string): Value {
  const reader = new JsonReader(text);
  return reader.document();
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Value {
    this.#skip();
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#error('Extra data', this.#at);
    return value;
  }

  #value(): Value {
    const code = this.#text.charCodeAt(this.#at);
    if (code === 34) return this.#string();
    if (code === 123) return this.#nested(() => this.#object());
    if (code === 91) return this.#nested(() => this.#array());
    return this.#number() ?? this.#word();
  }

  #nested(read: () => Value): Value {
    if (this.#depth >= depthLimit) throw this.#error(`More than ${depthLimit} nested levels`, this.#at);
    this.#depth += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #number(): Value | undefined {
    number.lastIndex = this.#at;
    const match = number.exec(this.#text);
    if (match === null) return undefined;
    this.#at = number.lastIndex;
    if (match[1] !== undefined || match[2] !== undefined) return float(Number(match[0]));
    if (match[0].length < 16) return Number(match[0]) + 0;
    if (match[0].length > 4301)
      throw this.#error('Exceeds the limit (4300 digits) for integer string conversion', this.#at);
    return int(BigInt(match[0]));
  }

  #word(): Value {
    for (const [word, value] of words) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    throw this.#error('Expecting value', this.#at);
  }

  #array(): Value {
    const items: Value[] = [];
    this.#at += 1;
    this.#skip();
    if (this.#take(93)) return items;
    for (;;) {
      items.push(this.#value());
      this.#skip();
      if (this.#take(93)) return items;
      this.#expect(44, "Expecting ',' delimiter");
      this.#skip();
    }
  }

  #object(): Value {
    const dict = new Dict();
    this.#at += 1;
    this.#skip();
    if (this.#take(125)) return dict;
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== 34) {
        throw this.#error('Expecting property name enclosed in double quotes', this.#at);
      }
      const key = this.#string();
      this.#skip();
      this.#expect(58, "Expecting ':' delimiter");
      this.#skip();
      dict.setText(key, this.#value());
      this.#skip();
      if (this.#take(125)) return dict;
      this.#expect(44, "Expecting ',' delimiter");
      this.#skip();
    }
  }

  #string(): string {
    const begin = this.#at;
    this.#at += 1;
    let read = '';
    for (;;) {
      plainText.lastIndex = this.#at;
      plainText.test(this.#text);
      const piece = this.#text.slice(this.#at, plainText.lastIndex);
      this.#at = plainText.lastIndex;
      read = read === '' ? piece : read + piece;
      const code = this.#text.charCodeAt(this.#at);
      if (code === 34) {
        this.#at += 1;
        return read;
      }
      if (Number.isNaN(code)) throw this.#error('Unterminated string starting at', begin);
      if (code !== 92) throw this.#error('Invalid control character at', this.#at);
      read += this.#escape(begin);
    }
  }

  #escape(begin: number): string {
    const letter = this.#text.charAt(this.#at + 1);
    if (letter === '') throw this.#error('Unterminated string starting at', begin);
    if (letter === 'u') {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#error('Invalid \\uXXXX escape', this.#at + 1);
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = escapes.get(letter);
    if (character === undefined) throw this.#error('Invalid \\escape', this.#at);
    this.#at += 2;
    return character;
  }

  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at += 1;
    return true;
  }

  #expect(code: number, message: string): void {
    if (!this.#take(code)) throw this.#error(message, this.#at);
  }

  #skip(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#at += 1;
    }
  }

  #error(problem: string, at: number): TemplateError {
    const before = this.#text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    const detail = `${problem}: line ${line} column ${column} (char ${at})`;
    return new TemplateError(detail, { reason: 'syntax', detail, errorType: 'JSONDecodeError', line, column });
  }
}
