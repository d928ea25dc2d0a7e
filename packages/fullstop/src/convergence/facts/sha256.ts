import { host } from '../../engines/port/host.js';
import { nativeHash } from './native-hash.js';
import { plainSha256 } from './plain-sha256.js';

// Leaves are hashed inside a fold, which is synchronous, so Web Crypto does not serve.

/** Digests are words of 32 bits; many follow one another in one array. */
export type Digests = Int32Array;

/** The same where there are few of them. */
type DigestWords = Digests | number[];

/** The length of a SHA-256 digest in words. */
export const digestWords = 8;

let buffer: Uint8Array = new Uint8Array(4096);
let view: DataView = new DataView(buffer.buffer);
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
  reserve(filled + length);
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

/** Adds a text as JSON has it. Most texts need no escapes, and are read and added in one go. */
export function addQuoted(text: string): void {
  const { length } = text;
  reserve(filled + length + 2);
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
  reserve(filled + bytes.length);
  buffer.set(bytes, filled);
  filled += bytes.length;
}

function addDigest(words: DigestWords, at: number): void {
  reserve(filled + 4 * digestWords);
  for (let index = 0; index < digestWords; index += 1) view.setInt32(filled + 4 * index, words[at + index] as number);
  filled += 4 * digestWords;
}

function reserve(length: number): void {
  if (buffer.length >= length) return;
  const larger = new Uint8Array(2 * length);
  larger.set(buffer);
  buffer = larger;
  view = new DataView(larger.buffer);
}

/** Writes SHA-256 of what was added into a target. */
export function finishHash(target: DigestWords, at: number): void {
  const data = buffer.subarray(0, filled);
  const bytes = nativeHash === undefined ? plainSha256(data) : nativeHash('sha256', data, 'latin1');
  for (let index = 0; index < digestWords; index += 1) {
    const high = (bytes.charCodeAt(4 * index) << 8) | bytes.charCodeAt(4 * index + 1);
    const low = (bytes.charCodeAt(4 * index + 2) << 8) | bytes.charCodeAt(4 * index + 3);
    target[at + index] = (high << 16) | low;
  }
}

/** SHA-256 of a text in UTF-8. */
export function sha256(text: string): Digests {
  const result = new Int32Array(digestWords);
  filled = 0;
  addText(text);
  finishHash(result, 0);
  return result;
}

/** Replaces the first of two neighbouring digests by SHA-256 of a byte and both. */
export function hashNeighbours(digests: DigestWords, at: number, prefix: number): void {
  beginHash(prefix);
  addDigest(digests, at);
  addDigest(digests, at + digestWords);
  finishHash(digests, at);
}

/** SHA-256 of a byte, if there is one, and two digests. */
export function hashPair(left: Digests, right: Digests, prefix: number | undefined): Digests {
  const result = new Int32Array(digestWords);
  if (prefix === undefined) filled = 0;
  else beginHash(prefix);
  addDigest(left, 0);
  addDigest(right, 0);
  finishHash(result, 0);
  return result;
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
