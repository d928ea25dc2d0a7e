import { type Digests, hashPair, sha256, toHex } from './sha256.js';

/** A fact as Converge's root rule sees it. */
export interface ConvergeFact {
  readonly key: string;
  readonly id: string;
  /** Hashed with its fields in the order in which they stand. */
  readonly payload: unknown;
}

/** The keys of Converge, in the order in which its root takes them. */
export const convergeKeys: readonly string[] = [
  'Seeds',
  'Hypotheses',
  'Strategies',
  'Constraints',
  'Signals',
  'Competitors',
  'Evaluations',
  'Proposals',
  'Diagnostic',
  'Votes',
  'Disagreements',
  'ConsensusOutcomes',
];

/** The leaf that Converge makes of a fact. */
export function convergeLeaf({ key, id, payload }: ConvergeFact): string {
  return toHex(leafOf({ key, id, payload }));
}

/**
 * The root that Converge itself would compute, for comparison with its proofs. It does not distinguish leaves from nodes
 * and pairs an odd digest with itself, so it proves less than the root of a run does.
 */
export function convergeRoot(facts: readonly ConvergeFact[]): string {
  const place = (key: string): number => convergeKeys.indexOf(key) + 1 || convergeKeys.length + 1;
  const ordered = [...facts].sort((left, right) => place(left.key) - place(right.key));
  return toHex(rootOver(ordered.map(leafOf)));
}

/** Converge's root over texts that are hashed as they are. */
export function convergeRootOfTexts(texts: readonly string[]): string {
  return toHex(rootOver(texts.map(sha256)));
}

function leafOf({ key, id, payload }: ConvergeFact): Digests {
  return sha256(`${key}|${id}|${JSON.stringify(payload)}`);
}

function rootOver(leaves: readonly Digests[]): Digests {
  if (leaves.length === 0) return sha256('');
  let level = leaves;
  do {
    const next: Digests[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const left = level[index] as Digests;
      next.push(hashPair(left, level[index + 1] ?? left, undefined));
    }
    level = next;
  } while (level.length > 1);
  return level[0] as Digests;
}
