import { SyntaxFault } from './token.js';

const simple: ReadonlyMap<string, string> = new Map([
  ['\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);
const hexLengths: ReadonlyMap<string, readonly [length: number, shape: string]> = new Map([
  ['x', [2, 'xXX']],
  ['u', [4, 'uXXXX']],
  ['U', [8, 'UXXXXXXXX']],
]);
const octal = /[0-7]{1,3}/y;

/** The text that a literal's body stands for; unknown escapes stay as they are. */
export function unescaped(body: string, at: number): string {
  let next = body.indexOf('\\');
  if (next === -1) return body;
  let out = '';
  let from = 0;
  while (next !== -1) {
    out += body.slice(from, next);
    const { text, length } = readEscape(body, next, at);
    out += text;
    from = next + length;
    next = body.indexOf('\\', from);
  }
  return out + body.slice(from);
}

function readEscape(body: string, index: number, at: number): { text: string; length: number } {
  const letter = body.charAt(index + 1);
  const plain = simple.get(letter);
  if (plain !== undefined) return { text: plain, length: 2 };
  const hex = hexLengths.get(letter);
  if (hex !== undefined) return readHex(body.slice(index + 2, index + 2 + hex[0]), hex, at);
  octal.lastIndex = index + 1;
  const digits = octal.exec(body)?.[0];
  if (digits !== undefined) return { text: String.fromCharCode(Number.parseInt(digits, 8)), length: digits.length + 1 };
  if (letter === 'N') throw new SyntaxFault('named characters are not supported', at);
  if (letter === '') throw new SyntaxFault('\\ at end of string', at);
  return { text: `\\${letter}`, length: 2 };
}

function readHex(
  digits: string,
  [length, shape]: readonly [number, string],
  at: number,
): { text: string; length: number } {
  if (digits.length !== length || !/^[0-9a-fA-F]+$/.test(digits))
    throw new SyntaxFault(`truncated \\${shape} escape`, at);
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff) throw new SyntaxFault('illegal Unicode character', at);
  return { text: String.fromCodePoint(code), length: length + 2 };
}
