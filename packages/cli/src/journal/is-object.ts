import type { JsonValue } from 'fullstop';

/** True for what JSON calls an object. */
export function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue };
export function isObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
