import { host } from '../../engines/port/host.js';
import type { JsonValue } from '../../termination/json.js';

const deepest = 100;

/**
 * A value of a framework as JSON. Bytes are written in base64, as all of them accept; what JSON cannot hold is left out, so
 * that no run fails for what it has in its messages.
 */
export function toJournalJson(value: unknown): JsonValue {
  return convert(value, 0) ?? null;
}

function convert(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'bigint':
      return String(value);
    case 'object':
      return value === null || depth > deepest ? null : convertObject(value, depth);
    default:
      return undefined;
  }
}

function convertObject(value: object, depth: number): JsonValue | undefined {
  try {
    if (Array.isArray(value)) return value.map((item) => convert(item, depth + 1) ?? null);
    if (Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)) return convertMembers(value, depth);
    if (value instanceof Uint8Array) return toBase64(value);
    const toJson = (value as { readonly toJSON?: unknown }).toJSON;
    if (typeof toJson === 'function') return convert(toJson.call(value), depth + 1);
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Map) return convert(Object.fromEntries(value), depth + 1);
    if (value instanceof Set) return convert([...value], depth + 1);
    return convertMembers(value, depth);
  } catch {
    // A getter that throws has nothing to say.
    return null;
  }
}

function convertMembers(value: object, depth: number): JsonValue {
  const copy: Record<string, JsonValue> = {};
  // Not over a list of keys, which would be made for every object of every message.
  for (const key in value) {
    if (!Object.hasOwn(value, key) || key === '__proto__') continue;
    const item = convert((value as Record<string, unknown>)[key], depth + 1);
    if (item !== undefined) copy[key] = item;
  }
  return copy;
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += 8_192)
    binary += String.fromCharCode(...bytes.subarray(from, from + 8_192));
  return host.btoa(binary);
}
