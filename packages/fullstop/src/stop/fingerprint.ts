import { deepestLevel, sortedKeys } from '../termination/text/canonical-json.js';
import { eachBlockOfWords } from './text-words.js';

/** Longer texts are taken in as bytes. */
const longText = 256;

const alphabet: readonly number[] = Array.from(
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_',
  (letter) => letter.charCodeAt(0),
);

/** The state from which a fingerprint is computed, text by text. */
class Digest {
  /** How many letters it was given. */
  length = 0;
  /** True when members of objects are read in the order of their names. */
  readonly isSorted: boolean;
  #high = 0xdeadbeef | 0;
  #low = 0x41c6ce57;

  constructor(isSorted = false) {
    this.isSorted = isSorted;
  }

  /** Takes in a text, and how long it is. */
  add(text: string): void {
    if (text.length > longText) eachBlockOfWords(text, (words, pairs) => this.#addWords(words, pairs));
    else this.#addLetters(text);
    this.#high ^= text.length;
    this.length += text.length;
  }

  #addWords(words: Uint32Array, pairs: number): void {
    let high = this.#high;
    let low = this.#low;
    for (let pair = 0; pair < pairs; pair += 1) {
      high = Math.imul(high ^ (words[2 * pair] as number), 0x9e3779b1);
      low = Math.imul(low ^ (words[2 * pair + 1] as number), 0x5f356495);
      high ^= high >>> 15;
      low ^= low >>> 15;
    }
    this.#high = high;
    this.#low = low;
  }

  #addLetters(text: string): void {
    let high = this.#high;
    let low = this.#low;
    let index = 0;
    // Four letters at a time, half of them for each half of the state.
    for (const end = text.length - 3; index < end; index += 4) {
      high = Math.imul(high ^ (text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16)), 0x9e3779b1);
      low = Math.imul(low ^ (text.charCodeAt(index + 2) | (text.charCodeAt(index + 3) << 16)), 0x5f356495);
      high ^= high >>> 15;
      low ^= low >>> 15;
    }
    for (; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      high = Math.imul(high ^ unit, 0x9e3779b1);
      low = Math.imul(low ^ unit, 0x5f356495);
    }
    this.#high = high;
    this.#low = low;
  }

  /** Takes in what kind of value comes, or that one is over. */
  mark(kind: number): void {
    this.#high = Math.imul(this.#high ^ kind, 0x85ebca6b);
    this.#low = Math.imul(this.#low ^ kind, 0xc2b2ae35);
  }

  number(): number {
    const first = mix(this.#high, this.#low);
    return first * 0x200000 + (mix(this.#low, first) >>> 11);
  }

  /** Ten letters. */
  letters(): string {
    const first = mix(this.#high, this.#low);
    const second = mix(this.#low, first);
    // Five letters of six bits from each half; numbers that write themselves take ten times as long.
    return String.fromCharCode(
      alphabet[(first >>> 26) & 0x3f] as number,
      alphabet[(first >>> 20) & 0x3f] as number,
      alphabet[(first >>> 14) & 0x3f] as number,
      alphabet[(first >>> 8) & 0x3f] as number,
      alphabet[(first >>> 2) & 0x3f] as number,
      alphabet[(second >>> 26) & 0x3f] as number,
      alphabet[(second >>> 20) & 0x3f] as number,
      alphabet[(second >>> 14) & 0x3f] as number,
      alphabet[(second >>> 8) & 0x3f] as number,
      alphabet[(second >>> 2) & 0x3f] as number,
    );
  }
}

/**
 * Ten letters that are the same for the same text. Not cryptographic: it only has to distinguish texts within one run,
 * and the root entry imports no crypto module.
 */
export function fingerprint(text: string): string {
  const digest = new Digest();
  digest.add(text);
  return digest.letters();
}

/** The same for a value, without writing it down: results of tools may be long. The order of keys counts, as in its JSON. */
export function fingerprintOf(value: unknown): string {
  const digest = new Digest();
  take(digest, value, 0);
  return digest.letters();
}

/** The same for a value whose keys may come in any order, and how many letters there are in it. */
export function canonicalFingerprint(value: unknown): { readonly key: string; readonly length: number } {
  const digest = new Digest(true);
  take(digest, value, 0);
  return { key: digest.letters(), length: digest.length };
}

const kinds = { none: 1, text: 2, number: 3, yes: 4, no: 5, list: 6, object: 7, end: 8, tooDeep: 9 } as const;

function take(digest: Digest, value: unknown, depth: number): void {
  if (typeof value === 'string') {
    digest.mark(kinds.text);
    digest.add(value);
  } else if (typeof value === 'number') {
    digest.mark(kinds.number);
    digest.add(String(value));
  } else if (typeof value === 'boolean') digest.mark(value ? kinds.yes : kinds.no);
  else if (typeof value !== 'object' || value === null) digest.mark(kinds.none);
  else if (depth === deepestLevel) digest.mark(kinds.tooDeep);
  else takeMembers(digest, value, depth + 1);
}

function takeMembers(digest: Digest, value: object, depth: number): void {
  if (Array.isArray(value)) {
    digest.mark(kinds.list);
    for (const member of value) take(digest, member, depth);
  } else {
    digest.mark(kinds.object);
    const source = value as Readonly<Record<string, unknown>>;
    if (digest.isSorted) for (const key of sortedKeys(source)) takeMember(digest, key, source[key], depth);
    else for (const key in source) takeMember(digest, key, source[key], depth);
  }
  digest.mark(kinds.end);
}

function takeMember(digest: Digest, key: string, member: unknown, depth: number): void {
  if (member === undefined) return;
  digest.add(key);
  take(digest, member, depth);
}

/** One to three texts as a number of 53 bits, which lists can be searched for fast. */
export function numberOf(first: string, second?: string, third?: string): number {
  const digest = new Digest();
  digest.add(first);
  if (second !== undefined) digest.add(second);
  if (third !== undefined) digest.add(third);
  return digest.number();
}

/** Spreads every bit of both halves over the result, as the last step of MurmurHash3 does. */
function mix(value: number, other: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
