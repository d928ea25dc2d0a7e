import type { Expression, JoinedField } from './ast.js';
import { unescaped } from './string-literal.js';
import { SyntaxFault, type Token } from './token.js';

type Parts = (string | JoinedField)[];
type ReadField = (source: string, from: number, to: number) => Expression;

/** Splits the body of a formatted string into its text and its fields. */
export function parseJoined(source: string, token: Token, readField: ReadField): Parts {
  const reader = new JoinedReader(source, token, readField);
  return reader.parts(token.at, token.at + token.text.length, 0);
}

class JoinedReader {
  readonly #source: string;
  readonly #raw: boolean;
  readonly #readField: ReadField;

  constructor(source: string, token: Token, readField: ReadField) {
    this.#source = source;
    this.#raw = token.value === true;
    this.#readField = readField;
  }

  parts(from: number, to: number, depth: number): Parts {
    const parts: Parts = [];
    let text = '';
    let at = from;
    while (at < to) {
      const character = this.#source.charAt(at);
      const doubled = this.#source.charAt(at + 1) === character && at + 1 < to && depth === 0;
      if (character === '}' && !doubled) throw this.#error("f-string: single '}' is not allowed", at);
      if (character === '{' && !doubled) {
        const field = this.#field(at + 1, to, depth);
        parts.push(this.#text(text, at) + field.label, field.field);
        text = '';
        at = field.end;
      } else {
        text += character;
        at += character === '{' || character === '}' ? 2 : 1;
      }
    }
    parts.push(this.#text(text, to));
    return parts.filter((part) => part !== '');
  }

  #text(text: string, at: number): string {
    return this.#raw ? text : unescaped(text, at);
  }

  #field(from: number, to: number, depth: number): { label: string; field: JoinedField; end: number } {
    if (depth > 1) throw this.#error('f-string: expressions nested too deeply', from);
    const end = this.#fieldEnd(from, to, ['}', ':', '!']);
    if (this.#source.slice(from, end).trim() === '') throw this.#error('f-string: empty expression not allowed', from);
    const label = this.#label(from, end);
    const value = this.#readField(this.#source, from, label === '' ? end : from + label.lastIndexOf('='));
    // The conversion is read and, as in the reference, has no effect.
    const after = this.#source.charAt(end) === '!' ? this.#fieldEnd(end + 1, to, ['}', ':']) : end;
    if (this.#source.charAt(after) === '}') return { label, field: { value }, end: after + 1 };
    const close = this.#fieldEnd(after + 1, to, ['}']);
    return { label, field: { value, format: this.parts(after + 1, close, depth + 1) }, end: close + 1 };
  }

  /** The text that `{name=}` shows before the value; empty without the sign. */
  #label(from: number, end: number): string {
    const text = this.#source.slice(from, end);
    return /(?:^|[^=!<>])=[ \t\n]*$/.test(text) ? text : '';
  }

  /** Where a field's expression ends: at one of the marks outside brackets and quotes. */
  #fieldEnd(from: number, to: number, marks: readonly string[]): number {
    let depth = 0;
    for (let at = from; at < to; at += 1) {
      const character = this.#source.charAt(at);
      if (depth === 0 && marks.includes(character) && !this.#isComparison(at)) return at;
      if (character === '"' || character === "'") at = this.#quoteEnd(character, at, to);
      else if ('([{'.includes(character)) depth += 1;
      else if (')]}'.includes(character)) depth -= 1;
    }
    throw this.#error("f-string: expecting '}'", from);
  }

  #quoteEnd(quote: string, from: number, to: number): number {
    const end = this.#source.indexOf(quote, from + 1);
    return end === -1 ? to : end;
  }

  #isComparison(at: number): boolean {
    return this.#source.startsWith('!=', at);
  }

  #error(message: string, at: number): SyntaxFault {
    return new SyntaxFault(message, at, 'SyntaxError');
  }
}
