import { host } from '../../engines/port/host.js';
import { nativeHash } from './native-hash.js';

// Written out, because leaves are hashed inside a fold: Web Crypto is asynchronous, and Node takes longer for a short text than this.

const roundConstants = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const initial = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const schedule = new Int32Array(64);
const hash = new Int32Array(8);
let buffer: Uint8Array = new Uint8Array(4096);
let view: DataView = new DataView(buffer.buffer);

/** Digests are words of 32 bits; many stand one behind the other in one array. */
export type Digests = Int32Array;

/** The same where there are few of them. */
type DigestWords = Digests | number[];

/** The length of a SHA-256 digest in words. */
export const digestWords = 8;

/** How much of the buffer is filled with what is to be hashed. */
let filled = 0;

/** Begins something to hash with a byte. One at a time, from here to `finishHash` without a wait between. */
export function beginHash(prefix: number): void {
  buffer[0] = prefix;
  filled = 1;
}

/** Adds a text in UTF-8. Pieces are cheaper than one text that has to be put together first. */
export function addText(text: string): void {
  const { length } = text;
  reserve(filled + length + 128);
  const bytes = buffer;
  for (let index = 0; index < length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) {
      addEncoded(text);
      return;
    }
    bytes[filled + index] = unit;
  }
  filled += length;
}

/** Adds a text as JSON has it. Most texts need no escapes, and are looked at and added in one go. */
export function addQuoted(text: string): void {
  const { length } = text;
  reserve(filled + length + 128);
  const bytes = buffer;
  const start = filled + 1;
  for (let index = 0; index < length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === quotationMark || unit === backslash || unit > 0x7e) {
      addText(JSON.stringify(text));
      return;
    }
    bytes[start + index] = unit;
  }
  bytes[filled] = quotationMark;
  bytes[start + length] = quotationMark;
  filled += length + 2;
}

const quotationMark = 0x22;
const backslash = 0x5c;

function addEncoded(text: string): void {
  const bytes = new host.TextEncoder().encode(text);
  reserve(filled + bytes.length + 128);
  buffer.set(bytes, filled);
  filled += bytes.length;
}

function reserve(length: number): void {
  if (buffer.length >= length) return;
  const larger = new Uint8Array(2 * length);
  larger.set(buffer);
  buffer = larger;
  view = new DataView(larger.buffer);
}

/** From this length on, which needs two blocks, Node's own hash is the faster one where it is there. */
const longText = 56;

/** Writes SHA-256 of what was added into a target. */
export function finishHash(target: Digests, at: number): void {
  if (filled < longText || nativeHash === undefined) hashHere(target, at);
  else putBytes(target, at, nativeHash('sha256', buffer.subarray(0, filled), 'latin1'));
}

/** Each character stands for a byte. */
function putBytes(target: Digests, at: number, bytes: string): void {
  for (let index = 0; index < digestWords; index += 1) {
    const high = (bytes.charCodeAt(4 * index) << 8) | bytes.charCodeAt(4 * index + 1);
    const low = (bytes.charCodeAt(4 * index + 2) << 8) | bytes.charCodeAt(4 * index + 3);
    target[at + index] = (high << 16) | low;
  }
}

function hashHere(target: Digests, at: number): void {
  const padded = (((filled + 8) >> 6) << 6) + 64;
  buffer.fill(0, filled, padded);
  buffer[filled] = 0x80;
  begin();
  for (let offset = 0; offset < padded; offset += 64) {
    takeBlock(offset);
    // The length in bits is a number of 64 bits; eight bits of a byte push three of them into the upper half.
    if (offset + 64 === padded) endBlock(filled >>> 29, filled << 3);
    expand(schedule);
    compress(schedule);
  }
  put(target, at);
}

function takeBlock(offset: number): void {
  const [bytes, words] = [view, schedule];
  for (let index = 0; index < 16; index += 1) words[index] = bytes.getInt32(offset + 4 * index);
}

function endBlock(high: number, low: number): void {
  schedule[14] = high;
  schedule[15] = low;
}

/** SHA-256 of a text in UTF-8. */
export function sha256(text: string): Digests {
  const result = new Int32Array(digestWords);
  filled = 0;
  addText(text);
  finishHash(result, 0);
  return result;
}

/** SHA-256 of a byte and two digests that stand one behind the other; it goes where the first one stood. */
export function hashNeighbours(digests: DigestWords, at: number, prefix: number): void {
  const words = schedule;
  let before = prefix;
  for (let index = 0; index < 2 * digestWords; index += 1) {
    const word = digests[at + index] as number;
    words[index] = (before << 24) | (word >>> 8);
    before = word;
  }
  begin();
  expand(words);
  compress(words);
  compress(lastBlocks[before & 0xff] ?? lastBlockOf(before & 0xff));
  put(digests, at);
}

/** What the prefix pushes out of the first block is one byte, and all the rest of the second is padding: there are 256. */
const lastBlocks: (Int32Array | undefined)[] = Array.from({ length: 256 }, () => undefined);

function lastBlockOf(byte: number): Int32Array {
  const words = new Int32Array(64);
  words[0] = (byte << 24) | 0x800000;
  words[15] = 8 * (1 + 2 * 4 * digestWords);
  expand(words);
  lastBlocks[byte] = words;
  return words;
}

/** SHA-256 of a byte, if there is one, and two digests. */
export function hashPair(left: Digests, right: Digests, prefix: number | undefined): Digests {
  const pair = new Int32Array(2 * digestWords);
  pair.set(left);
  pair.set(right, digestWords);
  if (prefix === undefined) hashBare(pair);
  else hashNeighbours(pair, 0, prefix);
  return pair.slice(0, digestWords);
}

function hashBare(pair: Digests): void {
  begin();
  schedule.set(pair);
  expand(schedule);
  compress(schedule);
  schedule.fill(0, 0, 16);
  schedule[0] = 0x80 << 24;
  endBlock(0, 8 * 4 * pair.length);
  expand(schedule);
  compress(schedule);
  put(pair, 0);
}

const hexDigits: readonly number[] = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const codes: number[] = Array.from({ length: 8 * digestWords }, () => 0);

/** A digest in hexadecimal digits. */
export function toHex(digest: Digests): string {
  for (let index = 0; index < codes.length; index += 1) {
    const word = digest[index >> 3] as number;
    codes[index] = hexDigits[(word >>> (28 - 4 * (index & 7))) & 0xf] as number;
  }
  // All at once: a text that grows digit by digit is put together again whenever it is compared.
  return String.fromCharCode(...codes);
}

/** The digest of 64 hexadecimal digits, or undefined if a text is something else. */
export function digestOf(hex: string): Digests | undefined {
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined;
  return Int32Array.from({ length: digestWords }, (_, index) =>
    Number.parseInt(hex.slice(8 * index, 8 * index + 8), 16),
  );
}

function begin(): void {
  const words = hash;
  for (let index = 0; index < digestWords; index += 1) words[index] = initial[index] as number;
}

/** Makes the other words of a schedule out of the first 16, two at a time: what the next needs is still at hand then. */
function expand(words: Int32Array): void {
  let oldest = words[0] as number;
  let old = words[1] as number;
  let late = words[14] as number;
  let latest = words[15] as number;
  // Each sum is cut to 32 bits at once: otherwise it is carried on as a floating point number.
  for (let index = 16; index < 64; index += 2) {
    const next = words[index - 14] as number;
    late = (((oldest + mixEarly(old)) | 0) + (((words[index - 7] as number) + mixLate(late)) | 0)) | 0;
    words[index] = late;
    latest = (((old + mixEarly(next)) | 0) + (((words[index - 6] as number) + mixLate(latest)) | 0)) | 0;
    words[index + 1] = latest;
    oldest = next;
    old = words[index - 13] as number;
  }
}

function mixEarly(word: number): number {
  return ((word >>> 7) | (word << 25)) ^ ((word >>> 18) | (word << 14)) ^ (word >>> 3);
}

function mixLate(word: number): number {
  return ((word >>> 17) | (word << 15)) ^ ((word >>> 19) | (word << 13)) ^ (word >>> 10);
}

/** One block. Four rounds at a time, each with its words in other roles: moving them in every round takes twice as long. */
function compress(words: Int32Array): void {
  const constants = roundConstants;
  let a = hash[0] as number;
  let b = hash[1] as number;
  let c = hash[2] as number;
  let d = hash[3] as number;
  let e = hash[4] as number;
  let f = hash[5] as number;
  let g = hash[6] as number;
  let h = hash[7] as number;
  for (let index = 0; index < 64; index += 4) {
    h = (h + mixE(e) + (g ^ (e & (f ^ g))) + (constants[index] as number) + (words[index] as number)) | 0;
    const newE = (d + h) | 0;
    const newA = (h + mixA(a) + ((a & b) | (c & (a | b)))) | 0;
    g = (g + mixE(newE) + (f ^ (newE & (e ^ f))) + (constants[index + 1] as number) + (words[index + 1] as number)) | 0;
    const newF = (c + g) | 0;
    const newB = (g + mixA(newA) + ((newA & a) | (b & (newA | a)))) | 0;
    f =
      (f + mixE(newF) + (e ^ (newF & (newE ^ e))) + (constants[index + 2] as number) + (words[index + 2] as number)) |
      0;
    const newG = (b + f) | 0;
    const newC = (f + mixA(newB) + ((newB & newA) | (a & (newB | newA)))) | 0;
    e =
      (e +
        mixE(newG) +
        (newE ^ (newG & (newF ^ newE))) +
        (constants[index + 3] as number) +
        (words[index + 3] as number)) |
      0;
    const newH = (a + e) | 0;
    const newD = (e + mixA(newC) + ((newC & newB) | (newA & (newC | newB)))) | 0;
    h = newE;
    g = newF;
    f = newG;
    e = newH;
    d = newA;
    c = newB;
    b = newC;
    a = newD;
  }
  hash[0] = (hash[0] as number) + a;
  hash[1] = (hash[1] as number) + b;
  hash[2] = (hash[2] as number) + c;
  hash[3] = (hash[3] as number) + d;
  hash[4] = (hash[4] as number) + e;
  hash[5] = (hash[5] as number) + f;
  hash[6] = (hash[6] as number) + g;
  hash[7] = (hash[7] as number) + h;
}

function mixE(e: number): number {
  return ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
}

function mixA(a: number): number {
  return ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
}

function put(target: DigestWords, at: number): void {
  for (let index = 0; index < digestWords; index += 1) target[at + index] = hash[index] as number;
}

function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/** The first 32 bits behind the point, as the standard draws its constants. */
function fraction(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}
