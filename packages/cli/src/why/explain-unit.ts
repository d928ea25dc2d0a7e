import { categoryOf, describeEnding } from '../journal/describe-ending.js';
import { spentBy, type UnitNode } from '../journal/unit-tree.js';
import type { ExplainedUnit } from './explanation.js';

/** A unit with everything below it, as data. */
export function explainUnit(unit: UnitNode, causes: ReadonlySet<string>): ExplainedUnit {
  const { name, path, termination, endedAt, activeMs, attempts, children } = unit;
  const category = termination && categoryOf(termination);
  return {
    name,
    path,
    ...(termination !== undefined && { kind: termination.kind, summary: describeEnding(termination) }),
    ...(category !== undefined && { category }),
    ...(endedAt !== undefined && { durationMs: activeMs }),
    ...spentBy(unit),
    attempts,
    isCause: causes.has(path),
    children: children.map((child) => explainUnit(child, causes)),
  };
}
