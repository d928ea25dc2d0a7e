import { spend } from '../evaluate/evaluation.js';

const surrogate = /[\ud800-\udfff]/;

/** The characters of a text as Python counts them, or undefined when UTF-16 units are the same. */
export function codePoints(text: string): string[] | undefined {
  if (text.length > 32) spend(text.length >>> 5);
  if (!surrogate.test(text)) return undefined;
  spend(text.length >>> 2);
  return Array.from(text);
}

/** The length of a text in characters. */
export function textLength(text: string): number {
  if (text.length > 32) spend(text.length >>> 5);
  return surrogate.test(text) ? text.length - countPairs(text) : text.length;
}

/** How many characters take two units. */
function countPairs(text: string): number {
  spend(text.length >>> 4);
  let pairs = 0;
  for (let index = 1; index < text.length; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00 || (text.charCodeAt(index - 1) & 0xfc00) !== 0xd800) continue;
    pairs += 1;
  }
  return pairs;
}

/** The character at an index, which must be in range. */
export function characterAt(text: string, index: number): string {
  return codePoints(text)?.[index] ?? text.charAt(index);
}

/** Cuts by character positions, both in range. */
export function sliceCharacters(text: string, start: number, end?: number): string {
  const points = codePoints(text);
  return points === undefined ? text.slice(start, end) : points.slice(start, end).join('');
}

/** Which text comes first by code points: negative, zero or positive. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const left = codePoints(a);
  const right = codePoints(b);
  if (left === undefined && right === undefined) return a < b ? -1 : 1;
  return comparePoints(left ?? a.split(''), right ?? b.split(''));
}

function comparePoints(left: readonly string[], right: readonly string[]): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
