import { skipSpace, stripEnd } from '../text/whitespace.js';
import { scanToken, templateDialect } from './scanner.js';
import { SyntaxFault, type Token } from './token.js';

const closers: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/** Cuts a template, whose lines end in `\n` only, into tokens. A fault is a token too: it counts when it is reached. */
export function templateTokens(source: string): Token[] {
  const lexer = new TemplateLexer(source);
  return lexer.run();
}

class TemplateLexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    try {
      while (this.#at < this.#source.length) this.#data();
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      this.#tokens.push({ type: 'fault', text: '', at: error.at, fault: error });
    }
    this.#tokens.push({ type: 'eof', text: '', at: this.#tokens.at(-1)?.at ?? 0 });
    return this.#tokens;
  }

  #data(): void {
    const begin = this.#nextTag(this.#at);
    const sign = this.#source.charAt(begin + 2);
    const text = this.#source.slice(this.#at, begin);
    const kept = sign === '-' ? stripEnd(text) : text;
    if (kept !== '') this.#push('data', kept, this.#at);
    if (begin === this.#source.length) {
      this.#at = begin;
      return;
    }
    const inside = begin + 2 + (sign === '-' || sign === '+' ? 1 : 0);
    const kind = this.#source.charAt(begin + 1);
    if (kind === '#') this.#comment(begin, inside);
    else if (kind === '{') this.#tag(begin, inside, 'variable');
    else if (!this.#raw(begin, inside)) this.#tag(begin, inside, 'block');
  }

  #nextTag(from: number): number {
    for (let at = this.#source.indexOf('{', from); at !== -1; at = this.#source.indexOf('{', at + 1)) {
      const next = this.#source.charAt(at + 1);
      if (next === '{' || next === '%' || next === '#') return at;
    }
    return this.#source.length;
  }

  #push(type: Token['type'], text: string, at: number): void {
    this.#tokens.push({ type, text, at });
  }

  #comment(begin: number, inside: number): void {
    const end = this.#source.indexOf('#}', inside);
    if (end === -1) throw new SyntaxFault('Missing end of comment tag', begin);
    const strips = end > inside && this.#source.charAt(end - 1) === '-';
    this.#at = strips ? skipSpace(this.#source, end + 2) : end + 2;
  }

  /** Reads `{% raw %}…{% endraw %}`; false when it is another block. */
  #raw(begin: number, inside: number): boolean {
    const open = this.#keyword(inside, 'raw', ['-%}', '%}']);
    if (open === undefined) return false;
    for (let at = this.#source.indexOf('{%', open); at !== -1; at = this.#source.indexOf('{%', at + 2)) {
      const sign = this.#source.charAt(at + 2);
      const close = this.#keyword(at + 2 + (sign === '-' || sign === '+' ? 1 : 0), 'endraw', ['+%}', '-%}', '%}']);
      if (close === undefined) continue;
      const text = this.#source.slice(open, at);
      const kept = sign === '-' ? stripEnd(text) : text;
      if (kept !== '') this.#push('data', kept, open);
      this.#at = close;
      return true;
    }
    throw new SyntaxFault('Missing end of raw directive', begin);
  }

  /** The offset after a keyword and the end of its block. */
  #keyword(from: number, word: string, ends: readonly string[]): number | undefined {
    const start = skipSpace(this.#source, from);
    if (!this.#source.startsWith(word, start)) return undefined;
    const at = skipSpace(this.#source, start + word.length);
    const end = ends.find((candidate) => this.#source.startsWith(candidate, at));
    if (end === undefined) return undefined;
    return end.startsWith('-') ? skipSpace(this.#source, at + end.length) : at + end.length;
  }

  #tag(begin: number, inside: number, kind: 'variable' | 'block'): void {
    this.#push(kind === 'variable' ? 'variable_begin' : 'block_begin', '', begin);
    const open: string[] = [];
    this.#at = skipSpace(this.#source, inside);
    while (this.#at < this.#source.length) {
      if (open.length === 0 && this.#tagEnd(kind)) return;
      const { token, end } = scanToken(this.#source, this.#at, templateDialect);
      if (token.type === 'operator') balance(open, token);
      this.#tokens.push(token);
      this.#at = skipSpace(this.#source, end);
    }
  }

  #tagEnd(kind: 'variable' | 'block'): boolean {
    const plain = kind === 'variable' ? '}}' : '%}';
    const at = this.#at;
    const type = kind === 'variable' ? 'variable_end' : 'block_end';
    if (this.#source.startsWith(`-${plain}`, at)) this.#at = skipSpace(this.#source, at + 3);
    else if (this.#source.startsWith(plain, at)) this.#at = at + 2;
    else if (kind === 'block' && this.#source.startsWith(`+${plain}`, at)) this.#at = at + 3;
    else return false;
    this.#push(type, '', at);
    return true;
  }
}

function balance(open: string[], token: Token): void {
  const closer = closers.get(token.text);
  if (closer !== undefined) {
    open.push(closer);
    return;
  }
  if (token.text !== ')' && token.text !== ']' && token.text !== '}') return;
  const expected = open.pop();
  if (expected === undefined) throw new SyntaxFault(`unexpected '${token.text}'`, token.at);
  if (expected !== token.text) throw new SyntaxFault(`unexpected '${token.text}', expected '${expected}'`, token.at);
}
