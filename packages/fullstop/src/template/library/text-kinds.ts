import { codePoints } from '../text/code-points.js';
import { isSpace } from '../text/whitespace.js';

const letter = /^\p{L}+$/u;
const alphanumeric = /^[\p{L}\p{N}]+$/u;
const decimal = /^\p{Nd}+$/u;
const digit = /^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490]+$/u;
const numericOnly = /^[\p{N}]+$/u;
const identifier = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;
const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** The kind of characters a text is made of, in Python's words. */
export const textKinds: Readonly<Record<string, (text: string) => boolean>> = {
  isalpha: (text) => letter.test(text),
  isalnum: (text) => alphanumeric.test(text),
  isdecimal: (text) => decimal.test(text),
  isdigit: (text) => digit.test(text),
  isnumeric: (text) => numericOnly.test(text),
  isidentifier: (text) => identifier.test(text),
  isprintable: (text) => !unprintable.test(text),
  isascii: (text) => [...text].every((character) => character < '\u0080'),
  isspace: (text) => text !== '' && [...text].every((character) => isSpace(character.codePointAt(0) ?? 0)),
  islower: (text) => isCase(text, (character) => character.toLowerCase()),
  isupper: (text) => isCase(text, (character) => character.toUpperCase()),
  istitle: isTitle,
};

function isCased(character: string): boolean {
  return character.toLowerCase() !== character.toUpperCase();
}

function isCase(text: string, change: (character: string) => string): boolean {
  let cased = false;
  for (const character of text) {
    if (!isCased(character)) continue;
    if (change(character) !== character) return false;
    cased = true;
  }
  return cased;
}

function isTitle(text: string): boolean {
  let cased = false;
  let inside = false;
  for (const character of text) {
    if (!isCased(character)) {
      inside = false;
      continue;
    }
    if (inside ? character !== character.toLowerCase() : character !== character.toUpperCase()) return false;
    inside = true;
    cased = true;
  }
  return cased;
}

/** Python's `str.title`: a new word begins after anything without case. */
export function toTitleCase(text: string): string {
  let inside = false;
  let out = '';
  for (const character of text) {
    out += inside ? character.toLowerCase() : titleCase(character);
    inside = isCased(character);
  }
  return out;
}

function titleCase(character: string): string {
  const upper = character.toUpperCase();
  return upper.length > 1 && character.length === 1 ? upper.charAt(0) + upper.slice(1).toLowerCase() : upper;
}

/** Python's `str.capitalize`. */
export function capitalizeText(text: string): string {
  const points = codePoints(text);
  const first = points?.[0] ?? text.charAt(0);
  return titleCase(first) + text.slice(first.length).toLowerCase();
}

/** Python's `str.swapcase`. */
export function swapCase(text: string): string {
  let out = '';
  for (const character of text) {
    const upper = character.toUpperCase();
    out += upper === character ? character.toLowerCase() : upper;
  }
  return out;
}
