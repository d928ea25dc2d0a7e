import { at, found } from '../termination/check.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { JsonValue } from '../termination/json.js';
import { defaultLimits, measure } from '../termination/measure.js';

// Values in the journal may be large (they spill to blobs there); only their depth is bounded.
const limits = { depth: defaultLimits.depth, bytes: Number.POSITIVE_INFINITY };

/**
 * Gives a value the form that the journal holds, so that the body sees the same the first time and on replay:
 * `toJSON` is honoured and undefined properties are dropped. Plain JSON is returned as it is, without a copy.
 * Whatever JSON cannot hold is `NOT_JSON` with its path, in the first test and not in the first resume.
 */
export function normalise(value: unknown): JsonValue | undefined {
  if (value === undefined) return undefined;
  if (measure(value, limits) === undefined && !hasUndefined(value)) return value as JsonValue;
  return copy(value, '', 0);
}

function hasUndefined(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const pending: object[] = [value];
  while (pending.length > 0) {
    const container = pending.pop() as Readonly<Record<string, unknown>>;
    // Not Object.values: this runs for every step, and a list per object would be garbage at once.
    for (const key in container) {
      const member = container[key];
      if (member === undefined) return true;
      if (typeof member === 'object' && member !== null) pending.push(member);
    }
  }
  return false;
}

function copy(value: unknown, path: string, depth: number): JsonValue {
  if (depth > limits.depth) throw notJson(path, `a value nested deeper than ${limits.depth} levels, or a cycle`);
  if (typeof value !== 'object' || value === null) return scalar(value, path);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return copy(toJSON.call(value, path), path, depth + 1);
  if (Array.isArray(value)) return Array.from(value, (member, index) => copy(member, at(path, index), depth + 1));
  if (value instanceof Map || value instanceof Set) throw notJson(path, value instanceof Map ? 'a Map' : 'a Set');
  return copyObject(value, path, depth);
}

function copyObject(value: object, path: string, depth: number): JsonValue {
  const result: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    Object.defineProperty(result, key, {
      value: copy(member, at(path, key), depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return result;
}

function scalar(value: unknown, path: string): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw notJson(path, typeof value === 'number' ? String(value) : found(value));
}

function notJson(path: string, what: string): FullstopError {
  const place = path === '' ? 'the value itself' : path;
  return new FullstopError(
    'NOT_JSON',
    `Only JSON can be journalled, but ${place} is ${what}. Convert it before it is returned (bigint: String(value); Map: Object.fromEntries(map); Date: date.toISOString()).`,
    { issues: [{ code: 'invalid', path, message: `found ${what}` }] },
  );
}
