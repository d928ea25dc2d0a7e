import { codePoints } from '../text/code-points.js';
import { quote } from '../text/python-text.js';
import { skipSpace } from '../text/whitespace.js';
import { float, int, type Value } from '../value.js';
import { unescaped } from './string-literal.js';
import { SyntaxFault, type Token } from './token.js';

/** The differences between the expressions of templates and the plain language when they are cut into tokens. */
export interface Dialect {
  readonly name: 'template' | 'plain';
  readonly float: RegExp;
  readonly integer: RegExp;
  /** Longest first. */
  readonly operators: readonly string[];
}

const commonOperators = [
  '**',
  '//',
  '==',
  '!=',
  '>=',
  '<=',
  '+',
  '-',
  '/',
  '*',
  '%',
  '~',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  '>',
  '<',
  '=',
  '.',
  ':',
  '|',
  ',',
  ';',
];
const integer = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?[0-9])*|0(?:_?0)*/y;

/** The expressions of templates. */
export const templateDialect: Dialect = {
  name: 'template',
  float: /(?:[0-9]+_)*[0-9]+(?:(?:\.(?:[0-9]+_)*[0-9]+)?[eE][+-]?(?:[0-9]+_)*[0-9]+|\.(?:[0-9]+_)*[0-9]+)/y,
  integer,
  operators: commonOperators,
};

/** The plain language, which follows Python. */
export const plainDialect: Dialect = {
  name: 'plain',
  float:
    /(?:[0-9](?:_?[0-9])*\.(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9](?:_?[0-9])*)?|[0-9](?:_?[0-9])*[eE][+-]?[0-9](?:_?[0-9])*/y,
  integer,
  operators: [
    '...',
    '<<=',
    '>>=',
    '**=',
    '//=',
    ':=',
    '->',
    '<<',
    '>>',
    '+=',
    '-=',
    '*=',
    '/=',
    '%=',
    '&=',
    '|=',
    '^=',
    ...commonOperators,
    '&',
    '^',
    '@',
    '!',
  ],
};

const word = /[\p{L}\p{N}\p{M}\p{Pc}]+/uy;
const identifier = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

/** Reads the token at an offset, which holds no white space. */
export function scanToken(source: string, at: number, dialect: Dialect): { token: Token; end: number } {
  const scanned = scanNumber(source, at, dialect) ?? scanWord(source, at, dialect) ?? scanString(source, at, dialect);
  if (scanned !== undefined) return scanned;
  for (const operator of dialect.operators) {
    if (source.startsWith(operator, at))
      return { token: { type: 'operator', text: operator, at }, end: at + operator.length };
  }
  throw unexpected(source, at);
}

function unexpected(source: string, at: number): SyntaxFault {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  const index = (codePoints(source.slice(0, at)) ?? source.slice(0, at)).length;
  return new SyntaxFault(`unexpected char ${quote(character)} at ${index}`, at);
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function scanNumber(source: string, at: number, dialect: Dialect): { token: Token; end: number } | undefined {
  const code = source.charCodeAt(at);
  if ((code < 48 || code > 57) && code !== 46) return undefined;
  // A number right after a point is an index: `list.0.1`.
  const indexed = dialect.name === 'template' && source.charCodeAt(at - 1) === 46;
  const real = indexed ? undefined : match(dialect.float, source, at);
  if (real !== undefined) {
    return {
      token: { type: 'float', text: real, value: float(Number(real.replaceAll('_', ''))), at },
      end: at + real.length,
    };
  }
  const whole = match(dialect.integer, source, at);
  if (whole === undefined) return undefined;
  return { token: { type: 'integer', text: whole, value: integerValue(whole, at), at }, end: at + whole.length };
}

function integerValue(text: string, at: number): Value {
  const digits = text.replaceAll('_', '');
  if (digits.length > 4300) throw new SyntaxFault('Exceeds the limit (4300 digits) for integer string conversion', at);
  return int(BigInt(digits));
}

function scanWord(source: string, at: number, dialect: Dialect): { token: Token; end: number } | undefined {
  const text = match(word, source, at);
  if (text === undefined) return undefined;
  const next = source.charAt(at + text.length);
  if (dialect.name === 'plain' && (next === '"' || next === "'") && /^(?:[rbuf]|rb|br|rf|fr)$/i.test(text)) {
    return scanString(source, at + text.length, dialect, text.toLowerCase());
  }
  if (!identifier.test(text)) throw new SyntaxFault('Invalid character in identifier', at);
  return { token: { type: 'name', text, at }, end: at + text.length };
}

function scanString(
  source: string,
  at: number,
  dialect: Dialect,
  prefix = '',
): { token: Token; end: number } | undefined {
  const mark = source.charAt(at);
  if (mark !== '"' && mark !== "'") return undefined;
  const triple = dialect.name === 'plain' && source.startsWith(mark.repeat(3), at);
  const fence = triple ? mark.repeat(3) : mark;
  const begin = at + fence.length;
  const end = closing(source, begin, fence);
  const broken = dialect.name === 'plain' && !triple && end !== -1 && /[^\\]\n|^\n/.test(source.slice(begin, end));
  if (end === -1 || broken) {
    if (dialect.name === 'template') throw unexpected(source, at);
    throw new SyntaxFault('unterminated string literal', at, 'SyntaxError');
  }
  const body = source.slice(begin, end);
  return { token: stringToken(body, { prefix, at, begin }), end: end + fence.length };
}

function stringToken(body: string, { prefix, at, begin }: { prefix: string; at: number; begin: number }): Token {
  if (prefix.includes('b'))
    return { type: 'fault', text: body, at, fault: new SyntaxFault('bytes are not supported', at, 'SyntaxError') };
  if (prefix.includes('f')) return { type: 'fstring', text: body, value: prefix.includes('r'), at: begin };
  return { type: 'string', text: body, value: prefix.includes('r') ? body : unescaped(body, at), at };
}

function closing(source: string, from: number, fence: string): number {
  for (let index = from; index < source.length; index += 1) {
    if (source.charCodeAt(index) === 92) index += 1;
    else if (source.startsWith(fence, index)) return index;
  }
  return -1;
}

/** Cuts plain statements into tokens; a line ends one unless a bracket is open. */
export function plainTokens(source: string, from = 0, to: number = source.length): Token[] {
  const tokens: Token[] = [];
  const text = source.slice(0, to);
  let at = skipSpace(text, from);
  let depth = 0;
  try {
    while (at < text.length) {
      if (text.charAt(at) === '#') {
        at = skipComment(text, at);
        continue;
      }
      if (depth === 0 && tokens.length > 0 && endsLine(text, at)) tokens.push({ type: 'operator', text: ';', at });
      const { end, token } = scanToken(text, at, plainDialect);
      if (token.type === 'operator') depth += bracketDepth(token.text);
      tokens.push(token);
      at = skipContinued(text, end);
    }
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    tokens.push({ type: 'fault', text: '', at, fault: error });
  }
  tokens.push({ type: 'eof', text: '', at });
  return tokens;
}

/** Skips white space, and line ends after a backslash. */
function skipContinued(text: string, from: number): number {
  let at = skipSpace(text, from);
  while (text.charCodeAt(at) === 92 && text.charCodeAt(at + 1) === 10) at = skipSpace(text, at + 2);
  return at;
}

function bracketDepth(operator: string): number {
  if ('([{'.includes(operator)) return 1;
  return ')]}'.includes(operator) ? -1 : 0;
}

/** Whether a new line begins before this token. */
function endsLine(text: string, at: number): boolean {
  for (let index = at - 1; index >= 0; index -= 1) {
    const code = text.charCodeAt(index);
    if (code === 10) return text.charCodeAt(index - 1) !== 92;
    if (code !== 32 && code !== 9 && code !== 13) return false;
  }
  return false;
}

function skipComment(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : skipSpace(text, end);
}
