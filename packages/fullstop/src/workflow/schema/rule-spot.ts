import type { DocumentPath, Report } from '../source/problem.js';
import { entryOf, type MapNode } from '../source/yaml-node.js';

/** A record whose fields are right one by one, to be checked as a whole. */
export interface RuleSpot<T = unknown> {
  readonly value: T;
  readonly node: MapNode;
  readonly path: DocumentPath;
  readonly report: Report;
}

/** Reports a record-wide problem at one of its keys. */
export function refuse(spot: RuleSpot, key: string, message: string): void {
  const entry = entryOf(spot.node, key);
  const at = entry?.keyAt ?? spot.node.at;
  spot.report.error({
    code: 'INVALID_VALUE',
    message,
    at,
    path: entry === undefined ? spot.path : [...spot.path, key],
  });
}
