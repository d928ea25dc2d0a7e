import { host } from '../engines/port/host.js';

// Written out, because leaves are hashed inside a fold: Web Crypto is asynchronous and takes longer for a short text than this.

const roundConstants = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const initial = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const schedule = new Int32Array(64);
const hash = new Int32Array(8);
let buffer: Uint8Array = new Uint8Array(4096);

/** The length of a SHA-256 digest in bytes. */
export const digestLength = 32;

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

/** Writes SHA-256 of what was added into a target. */
export function finishHash(target: Uint8Array, at: number): void {
  digest(filled);
  put(target, at);
}

function addEncoded(text: string): void {
  const bytes = new host.TextEncoder().encode(text);
  reserve(filled + bytes.length + 128);
  buffer.set(bytes, filled);
  filled += bytes.length;
}

/** SHA-256 of a prefix byte, if there is one, and two digests. */
export function hashPair(left: Uint8Array, right: Uint8Array, prefix: number | undefined): Uint8Array {
  let length = 0;
  if (prefix !== undefined) buffer[length++] = prefix;
  buffer.set(left, length);
  buffer.set(right, length + digestLength);
  digest(length + 2 * digestLength);
  const result = new Uint8Array(digestLength);
  put(result, 0);
  return result;
}

/** The same for two digests that stand one behind the other; theirs goes where the first one stood. */
export function hashNeighbours(digests: Uint8Array, at: number, prefix: number): void {
  const bytes = buffer;
  bytes[0] = prefix;
  for (let index = 0; index < 2 * digestLength; index += 1) bytes[index + 1] = digests[at + index] as number;
  digest(2 * digestLength + 1);
  put(digests, at);
}

/** SHA-256 of a text in UTF-8. */
export function sha256(text: string): Uint8Array {
  const result = new Uint8Array(digestLength);
  filled = 0;
  addText(text);
  finishHash(result, 0);
  return result;
}

const byteText: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes in hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byteText[byte];
  return text;
}

/** The bytes of 64 hexadecimal digits, or undefined if a text is something else. */
export function digestOf(hex: string): Uint8Array | undefined {
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined;
  return Uint8Array.from({ length: digestLength }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );
}

function reserve(length: number): void {
  if (buffer.length >= length) return;
  const larger = new Uint8Array(2 * length);
  larger.set(buffer);
  buffer = larger;
}

/** Hashes what the buffer holds. */
function digest(length: number): void {
  hash.set(initial);
  const padded = (((length + 8) >> 6) << 6) + 64;
  buffer.fill(0, length, padded);
  buffer[length] = 0x80;
  // The length in bits is a number of 64 bits; eight bits of a byte push three of them into the upper half.
  putWord(padded - 8, length >>> 29);
  putWord(padded - 4, length << 3);
  for (let offset = 0; offset < padded; offset += 64) compress(offset);
}

function putWord(at: number, word: number): void {
  buffer[at] = word >>> 24;
  buffer[at + 1] = word >>> 16;
  buffer[at + 2] = word >>> 8;
  buffer[at + 3] = word;
}

/** One block. Four rounds at a time, each with its words in other roles: moving them in every round takes twice as long. */
function compress(offset: number): void {
  spread(offset);
  const [words, constants] = [schedule, roundConstants];
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

/** Fills the schedule with the words of a block and what follows from them. */
function spread(offset: number): void {
  const [bytes, words] = [buffer, schedule];
  for (let index = 0, at = offset; index < 16; index += 1, at += 4) {
    words[index] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number);
  }
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15] as number;
    const late = words[index - 2] as number;
    const small = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const large = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[index] = (words[index - 16] as number) + small + (words[index - 7] as number) + large;
  }
}

function put(target: Uint8Array, at: number): void {
  for (let index = 0, place = at; index < 8; index += 1, place += 4) {
    const word = hash[index] as number;
    target[place] = word >>> 24;
    target[place + 1] = word >>> 16;
    target[place + 2] = word >>> 8;
    target[place + 3] = word;
  }
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
