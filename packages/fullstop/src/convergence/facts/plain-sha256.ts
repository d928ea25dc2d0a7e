const wordCount = 8;
const roundConstants = Int32Array.from(primes(64), (prime) => fractionBits(Math.cbrt(prime)));
const initial = Int32Array.from(primes(wordCount), (prime) => fractionBits(Math.sqrt(prime)));

/**
 * SHA-256 as the standard describes it, for hosts that have no synchronous hash, such as browsers. Each character of the
 * result is a byte.
 */
export function plainSha256(bytes: Uint8Array): string {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  // The length in bits is a number of 64 bits.
  view.setInt32(padded.length - 8, bytes.length >>> 29);
  view.setInt32(padded.length - 4, bytes.length << 3);
  const hash = Int32Array.from(initial);
  for (let offset = 0; offset < padded.length; offset += 64) addBlock(hash, scheduleOf(view, offset));
  return Array.from(hash, (word) =>
    String.fromCharCode(word >>> 24, (word >> 16) & 255, (word >> 8) & 255, word & 255),
  ).join('');
}

function scheduleOf(view: DataView, offset: number): Int32Array {
  const words = new Int32Array(64);
  for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(offset + 4 * index);
  for (let index = 16; index < 64; index += 1) {
    const [early, late] = [at(words, index - 15), at(words, index - 2)];
    const mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = at(words, index - 16) + mixedEarly + at(words, index - 7) + mixedLate;
  }
  return words;
}

function addBlock(hash: Int32Array, words: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index += 1) {
    const mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const first = (h + mixedE + ((e & f) ^ (~e & g)) + at(roundConstants, index) + at(words, index)) | 0;
    const second = (mixedA + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) hash[index] = at(hash, index) + word;
}

function at(words: Int32Array, index: number): number {
  return words[index] as number;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/** The first 32 bits after the point, from which the standard draws its constants. */
function fractionBits(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}
