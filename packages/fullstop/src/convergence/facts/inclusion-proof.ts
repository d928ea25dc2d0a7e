import type { Fact } from './fact.js';
import { type FactLog, findByRef, rootText } from './fact-log.js';
import { makeFactRef } from './fact-ref.js';
import { writeLeaf } from './leaf.js';
import { leafHash, rootFrom } from './merkle-tree.js';
import { type Digests, digestOf, toHex } from './sha256.js';
import { wrongForm } from './snapshot.js';

/** Shows that a fact is among those that a root stands for, to someone who has only the root. */
export interface InclusionProof {
  readonly fact: Fact;
  /** The place of the fact among all facts, from 0. */
  readonly index: number;
  /** How many facts there are. */
  readonly size: number;
  /** The digests from the leaf up, in hexadecimal digits. */
  readonly path: readonly string[];
  readonly root: string;
}

/** The proof of a fact; undefined when there is no such fact. */
export function proofOf(log: FactLog, ref: string): InclusionProof | undefined {
  const fact = findByRef(log, ref);
  if (fact === undefined) return undefined;
  const index = fact.clock - 1;
  const path = log.shared.tree.path(index, log.length).map(toHex);
  return { fact, index, size: log.length, path, root: rootText(log) };
}

/** True when a proof leads to the root that one knows, and all that the fact says is what was proved. Never throws. */
export function verifyInclusion(proof: InclusionProof, root: string): boolean {
  try {
    const path = proof.path.map(digestOf);
    if (path.some((digest) => digest === undefined)) return false;
    const { fact, index: place, size } = proof;
    // The reference is made of key and id, which the leaf has.
    if (wrongForm(fact) !== undefined || fact.clock !== place + 1 || fact.ref !== makeFactRef(fact.key, fact.id))
      return false;
    const reached = rootFrom(leafHash(fact, writeLeaf), { place, size, path: path as Digests[] });
    return reached !== undefined && toHex(reached) === root;
  } catch {
    // A proof comes from elsewhere and may be anything; what cannot be read proves nothing.
    return false;
  }
}
