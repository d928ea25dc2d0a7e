import type { LeafWriter } from './leaf.js';
import {
  addQuoted,
  addText,
  beginHash,
  type Digests,
  digestWords,
  finishHash,
  hashNeighbours,
  hashPair,
  sha256,
} from './sha256.js';

// As in RFC 6962: leaves and nodes are hashed after different bytes, and nothing is ever paired with itself, so that no two
// lists of facts have the same root.
const leafPrefix = 0;
const nodePrefix = 1;

/** Says what a leaf stands for, piece by piece. */
export type WriteLeaf<T> = (item: T, writer: LeafWriter) => void;

const hashWriter: LeafWriter = { add: addText, quote: addQuoted };

const firstChunk = 32;

/** A tree that only grows. Leaves are kept, so that the root and the proofs of every earlier size can still be had. */
export class MerkleTree {
  /** Each chunk is twice as long as the one before: growing never copies, and a small tree is small. */
  readonly #chunks: Digests[] = [];
  readonly #peaks = new Peaks();
  #size = 0;

  /** Adds what an item says about itself as the next leaf. */
  add<T>(item: T, write: WriteLeaf<T>): void {
    const place = this.#size + firstChunk;
    const chunk = this.#chunkAt(place);
    const at = (place - chunk.length / digestWords) * digestWords;
    beginHash(leafPrefix);
    write(item, hashWriter);
    finishHash(chunk, at);
    this.#peaks.add(chunk, at);
    this.#size += 1;
  }

  #chunkAt(place: number): Digests {
    const number = 31 - Math.clz32(place / firstChunk);
    const known = this.#chunks[number];
    if (known !== undefined) return known;
    const chunk = new Int32Array(firstChunk * 2 ** number * digestWords);
    this.#chunks[number] = chunk;
    return chunk;
  }

  /** The root over all leaves, or over the first so many; that of none is the hash of nothing. */
  root(size: number = this.#size): Digests {
    return size === this.#size ? this.#peaks.root() : this.#subtree(0, size);
  }

  /** The digests that lead from a leaf to the root of a tree of that size, from the leaf up. */
  path(place: number, size: number): readonly Digests[] {
    const path: Digests[] = [];
    let [from, to] = [0, size];
    while (to - from > 1) {
      const middle = from + splitOf(to - from);
      const isLeft = place < middle;
      path.push(isLeft ? this.#subtree(middle, to) : this.#subtree(from, middle));
      if (isLeft) to = middle;
      else from = middle;
    }
    return path.reverse();
  }

  #subtree(from: number, to: number): Digests {
    const peaks = new Peaks();
    for (let place = from + firstChunk; place < to + firstChunk; place += 1) {
      const chunk = this.#chunkAt(place);
      peaks.add(chunk, (place - chunk.length / digestWords) * digestWords);
    }
    return peaks.root();
  }
}

/** Where peaks are folded into a root. */
const folding: number[] = [];

/** The roots of the complete subtrees that a list of leaves falls into, largest first, one after the other. */
class Peaks {
  /** No typed array: those of more than 64 bytes take longer to make than a small tree takes to grow. */
  readonly #digests: number[] = [];
  #count = 0;
  #leaves = 0;

  /** Adds the leaf that stands at a place of an array. */
  add(leaves: Digests, at: number): void {
    const end = this.#count * digestWords;
    const digests = this.#digests;
    for (let index = 0; index < digestWords; index += 1) digests[end + index] = leaves[at + index] as number;
    this.#count += 1;
    for (let rest = this.#leaves; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      this.#count -= 1;
      hashNeighbours(digests, (this.#count - 1) * digestWords, nodePrefix);
    }
    this.#leaves += 1;
  }

  root(): Digests {
    if (this.#count === 0) return sha256('');
    const end = this.#count * digestWords;
    for (let index = 0; index < end; index += 1) folding[index] = this.#digests[index] as number;
    for (let at = end - 2 * digestWords; at >= 0; at -= digestWords) hashNeighbours(folding, at, nodePrefix);
    const root = new Int32Array(digestWords);
    for (let index = 0; index < digestWords; index += 1) root[index] = folding[index] as number;
    return root;
  }
}

/** The hash of a leaf on its own. */
export function leafHash<T>(item: T, write: WriteLeaf<T>): Digests {
  const digest = new Int32Array(digestWords);
  beginHash(leafPrefix);
  write(item, hashWriter);
  finishHash(digest, 0);
  return digest;
}

/** The root that a leaf and its path lead to; undefined when the path cannot be one of a tree of this size. */
export function rootFrom(
  leaf: Digests,
  { place, size, path }: { readonly place: number; readonly size: number; readonly path: readonly Digests[] },
): Digests | undefined {
  const sides = sidesOf(place, size);
  if (sides === undefined || sides.length !== path.length) return undefined;
  let node = leaf;
  for (const [index, side] of sides.entries()) {
    const other = path[index] as Digests;
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

/** The largest power of two below a count. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}
