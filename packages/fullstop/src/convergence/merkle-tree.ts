import { addText, beginHash, digestLength, finishHash, hashNeighbours, hashPair, sha256 } from './sha256.js';

// As in RFC 6962: leaves and nodes are hashed behind different bytes, and nothing is ever paired with itself, so that no two
// lists of facts have the same root.
const leafPrefix = 0;
const nodePrefix = 1;

/** The roots of the complete subtrees that a list of leaves falls into, largest first, one behind the other. */
export type Peaks = Uint8Array;

// Small, because a run with few facts pays for a whole chunk.
const leavesPerChunk = 64;

/** Leaf hashes one behind the other, in chunks so that growing never copies. */
export class Leaves {
  readonly #chunks: Uint8Array[] = [];

  /** Hashes what `write` writes into place. */
  put(place: number, write: (add: (piece: string) => void) => void): void {
    const number = Math.floor(place / leavesPerChunk);
    let chunk = this.#chunks[number];
    if (chunk === undefined) {
      chunk = new Uint8Array(leavesPerChunk * digestLength);
      this.#chunks[number] = chunk;
    }
    beginHash(leafPrefix);
    write(addText);
    finishHash(chunk, (place % leavesPerChunk) * digestLength);
  }

  at(place: number): Uint8Array {
    const at = (place % leavesPerChunk) * digestLength;
    return this.#chunkOf(place).subarray(at, at + digestLength);
  }

  /** Copies a leaf. */
  copy(place: number, target: Uint8Array, at: number): void {
    const chunk = this.#chunkOf(place);
    const from = (place % leavesPerChunk) * digestLength;
    for (let index = 0; index < digestLength; index += 1) target[at + index] = chunk[from + index] as number;
  }

  #chunkOf(place: number): Uint8Array {
    return this.#chunks[Math.floor(place / leavesPerChunk)] as Uint8Array;
  }
}

/** The hash of a leaf on its own. */
export function leafHash(text: string): Uint8Array {
  const digest = new Uint8Array(digestLength);
  beginHash(leafPrefix);
  addText(text);
  finishHash(digest, 0);
  return digest;
}

/** Room for the leaf that comes and for a few peaks more. */
const spare = 4 * digestLength;

/** Peaks that grow leaf by leaf. All digests stand in one buffer: an object for each would cost as much as its hash. */
export class GrowingPeaks {
  #digests: Uint8Array;
  #count: number;

  constructor(peaks: Peaks) {
    this.#digests = withSpare(peaks);
    this.#count = peaks.length / digestLength;
  }

  /** Adds the leaf at `place`, behind all leaves before it. */
  add(leaves: Pick<Leaves, 'copy'>, place: number, before: number = place): void {
    const end = this.#count * digestLength;
    if (end === this.#digests.length) this.#digests = withSpare(this.#digests);
    leaves.copy(place, this.#digests, end);
    this.#count += 1;
    for (let rest = before; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      this.#count -= 1;
      hashNeighbours(this.#digests, (this.#count - 1) * digestLength, nodePrefix);
    }
  }

  peaks(): Peaks {
    return this.#digests.slice(0, this.#count * digestLength);
  }
}

function withSpare(digests: Uint8Array): Uint8Array {
  const larger = new Uint8Array(digests.length + spare);
  larger.set(digests);
  return larger;
}

/** The root over all leaves; that of an empty list is the hash of nothing. */
export function rootOf(peaks: Peaks): Uint8Array {
  if (peaks.length === 0) return sha256('');
  const digests = peaks.slice();
  for (let at = digests.length - 2 * digestLength; at >= 0; at -= digestLength) hashNeighbours(digests, at, nodePrefix);
  return digests.slice(0, digestLength);
}

/** The digests that lead from a leaf to the root, from the leaf up. */
export function pathOf(leaves: Pick<Leaves, 'copy'>, place: number, size: number): readonly Uint8Array[] {
  const path: Uint8Array[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    const [left, right] = [
      [from, middle],
      [middle, to],
    ] as const;
    const [inside, beside] = place < middle ? [left, right] : [right, left];
    path.push(subtree(leaves, beside[0], beside[1]));
    [from, to] = inside;
  }
  return path.reverse();
}

/** The root that a leaf and its path lead to; undefined when the path cannot be one of a tree of this size. */
export function rootFrom(
  leaf: Uint8Array,
  { place, size, path }: { readonly place: number; readonly size: number; readonly path: readonly Uint8Array[] },
): Uint8Array | undefined {
  const sides = sidesOf(place, size);
  if (sides === undefined || sides.length !== path.length) return undefined;
  let node = leaf;
  for (const [index, side] of sides.entries()) {
    const other = path[index] as Uint8Array;
    node = side === 'left' ? hashPair(other, node, nodePrefix) : hashPair(node, other, nodePrefix);
  }
  return node;
}

/** On which side the neighbour is at each level, from the leaf up. */
function sidesOf(place: number, size: number): readonly ('left' | 'right')[] | undefined {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(place) || place < 0 || place >= size) return undefined;
  const sides: ('left' | 'right')[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (place < middle) [to] = [middle, sides.push('right')];
    else [from] = [middle, sides.push('left')];
  }
  return sides.reverse();
}

function subtree(leaves: Pick<Leaves, 'copy'>, from: number, to: number): Uint8Array {
  const growing = new GrowingPeaks(new Uint8Array(0));
  for (let place = from; place < to; place += 1) growing.add(leaves, place, place - from);
  return rootOf(growing.peaks());
}

/** The largest power of two below a count. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}
