import type { JsonValue } from '../../termination/json.js';
import { canonicalJson } from '../../termination/text/canonical-json.js';

/** True when two JSON values mean the same, whatever the order of their keys. Nothing and null are not the same. */
export function sameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  return canonicalJson(left, Number.POSITIVE_INFINITY) === canonicalJson(right, Number.POSITIVE_INFINITY);
}
