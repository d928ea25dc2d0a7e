import { at, found } from '../../termination/check.js';
import { className, defaultLimits, isPlain } from '../../termination/codec/measure.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import { cutText } from '../../termination/text/wording.js';

// Values in the journal may be large (they spill to blobs there); only their depth is bounded.
const deepest = defaultLimits.depth;
/** The path into a cycle has no end. */
const longestPath = 200;

/**
 * Brings a value into the form that the journal holds, so that the body sees the same the first time and on replay:
 * `toJSON` is honoured and undefined properties are dropped. Plain JSON is returned as it is, without a copy.
 * Whatever JSON cannot hold is `NOT_JSON` with its path, in the first test and not in the first resume.
 */
export function normalise(value: unknown): JsonValue | undefined {
  if (value === undefined) return undefined;
  return isJson(value, 1) ? (value as JsonValue) : copy(value, '', 0);
}

/** True for what JSON returns as it is. It makes no garbage, because every step needs it; the depth bounds the recursion. */
function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  // JSON has no -0.
  if (typeof value !== 'object') return typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0);
  if (depth > deepest || !isPlain(value)) return false;
  if (Array.isArray(value)) {
    // Holes read as undefined, which is no JSON.
    for (const member of value) if (!isJson(member, depth + 1)) return false;
    return true;
  }
  for (const key in value) if (!isJson((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false;
  return true;
}

function copy(value: unknown, path: string, depth: number): JsonValue {
  if (depth > deepest) throw notJson(path, `a value nested deeper than ${deepest} levels, or a cycle`);
  if (typeof value !== 'object' || value === null) return scalar(value, path);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return copy(toJSON.call(value, path), path, depth + 1);
  if (Array.isArray(value)) return Array.from(value, (member, index) => copy(member, at(path, index), depth + 1));
  if (value instanceof Map || value instanceof Set) throw notJson(path, value instanceof Map ? 'a Map' : 'a Set');
  if (isOpaque(value)) throw notJson(path, `an object of the class ${className(value)}, of which JSON keeps nothing`);
  return copyObject(value, path, depth);
}

/** True for what JSON makes `{}` of although there is something in it: an error, a promise, a response, a regular expression. */
function isOpaque(value: object): boolean {
  return value instanceof Error || (!isPlain(value) && Object.keys(value).length === 0);
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
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0;
  throw notJson(path, typeof value === 'number' ? String(value) : found(value));
}

function notJson(path: string, what: string): FullstopError {
  const place = path === '' ? 'the value itself' : cutText(path, longestPath);
  return new FullstopError(
    'NOT_JSON',
    `Only JSON can be journalled, but ${place} is ${what}. Convert it before it is returned (bigint: String(value); Map: Object.fromEntries(map); Error: error.message; Promise: await it).`,
    { issues: [{ code: 'invalid', path, message: `found ${what}` }] },
  );
}
