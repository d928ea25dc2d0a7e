import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafHash, MerkleTree, rootFrom } from './merkle-tree.js';
import { toHex } from './sha256.js';

const digest = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** RFC 6962, section 2.1, word for word and recursive. */
function reference(texts: readonly string[]): Buffer {
  if (texts.length === 0) return digest();
  if (texts.length === 1) return digest(Buffer.of(0), Buffer.from(texts[0] ?? ''));
  let split = 1;
  while (split * 2 < texts.length) split *= 2;
  return digest(Buffer.of(1), reference(texts.slice(0, split)), reference(texts.slice(split)));
}

const write = (text: string, { add }: { add(piece: string): void }): void => add(text);

function treeOf(texts: readonly string[]) {
  const tree = new MerkleTree();
  for (const text of texts) tree.add(text, write);
  return { tree, root: tree.root() };
}

describe('merkle tree', () => {
  it('grows leaf by leaf to the root that RFC 6962 defines', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 70 }), (texts) => {
        expect(toHex(treeOf(texts).root)).toBe(reference(texts).toString('hex'));
      }),
    );
  });

  it('proves every leaf, and no other leaf, place or size', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 40 }), fc.nat(), (texts, drawn) => {
        const { tree, root } = treeOf(texts);
        const [place, size] = [drawn % texts.length, texts.length];
        const path = tree.path(place, size);
        const leaf = leafHash(texts[place] ?? '', write);
        expect(rootFrom(leaf, { place, size, path })).toEqual(root);
        expect(rootFrom(leafHash(`${texts[place]}!`, write), { place, size, path })).not.toEqual(root);
        const other = (place + 1) % size;
        if (other !== place) expect(rootFrom(leaf, { place: other, size, path })).not.toEqual(root);
        expect(rootFrom(leaf, { place, size, path: [...path, root] })).toBeUndefined();
        expect(rootFrom(leaf, { place: size, size, path })).toBeUndefined();
      }),
    );
  });

  it('gives a list and the same list with its last leaf twice different roots', () => {
    expect(treeOf(['a', 'b', 'c']).root).not.toEqual(treeOf(['a', 'b', 'c', 'c']).root);
  });

  it('keeps leaves beyond one chunk, and the roots and proofs of every earlier size', () => {
    const texts = Array.from({ length: 2500 }, (_, index) => String(index));
    const { tree, root } = treeOf(texts);
    expect(toHex(root)).toBe(reference(texts).toString('hex'));
    for (const size of [0, 1, 31, 32, 33, 95, 96, 97, 1999]) {
      const earlier = tree.root(size);
      expect(toHex(earlier)).toBe(reference(texts.slice(0, size)).toString('hex'));
      if (size === 0) continue;
      const place = size - 1;
      const leaf = leafHash(String(place), write);
      expect(rootFrom(leaf, { place, size, path: tree.path(place, size) })).toEqual(earlier);
    }
  });
});
