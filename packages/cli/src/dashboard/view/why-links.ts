import type { Envelope } from 'fullstop';
import { allUnits, type UnitNode } from '../../journal/unit-tree.js';
import { causeChain } from '../../why/cause-chain.js';
import { findUnit } from '../../why/culprit.js';

/** The moment of one cause on the way from the ending of a run to the first. */
export interface WhyLink {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  /** The entry at which it came about. */
  readonly seq: number;
}

/** The causes of an ending in order, each with its moment: the run itself, then unit by unit to the first cause. */
export function whyLinks(root: UnitNode, ending: Envelope | undefined): readonly WhyLink[] {
  if (ending === undefined) return [];
  const { termination, name } = ending;
  const first: WhyLink = { name, path: '', kind: termination.kind, seq: root.endSeq ?? root.seq };
  const chain = causeChain(termination);
  if (chain.length === 0) return [first];
  const units = allUnits(root);
  const links = chain.map(({ child, termination: inner }): WhyLink => {
    const unit = findUnit(units, child.path, root);
    return { name: child.name, path: unit.path, kind: inner.kind, seq: unit.endSeq ?? unit.seq };
  });
  return [first, ...links];
}
