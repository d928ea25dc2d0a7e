import type { AnyTermination } from 'fullstop';
import { withoutMarks } from 'fullstop/journal';
import { allUnits, type UnitNode } from '../journal/unit-tree.js';
import { causeChain } from './cause-chain.js';

/** The unit where the first cause of an ending is: the innermost of a chain of failed children, or the run itself. */
export function culpritOf(root: UnitNode, termination: AnyTermination | undefined): UnitNode {
  const path = termination === undefined ? undefined : causeChain(termination).at(-1)?.child.path;
  return path === undefined ? root : findUnit(allUnits(root), path, root);
}

/** The latest unit with a path, or else one that differs in the marks of its visits only. */
export function findUnit(units: readonly UnitNode[], path: string, root: UnitNode): UnitNode {
  const plain = withoutMarks(path);
  return (
    units.findLast((unit) => unit.path === path) ?? units.findLast((unit) => withoutMarks(unit.path) === plain) ?? root
  );
}
