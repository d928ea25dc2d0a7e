import type { JsonValue } from '../../termination/json.js';

/** True when two JSON values mean the same, whatever the order of their keys. */
export function sameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return left === right || canonicalJson(left) === canonicalJson(right);
}

/** JSON text with sorted keys: equal texts mean equal values. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
