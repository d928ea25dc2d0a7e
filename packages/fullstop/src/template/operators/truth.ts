import { Dict } from '../dict.js';
import { undefinedFault } from '../evaluate/fault.js';
import { Float, Markup, Tuple, Undefined, type Value } from '../value.js';

/** Whether Python takes a value as true. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  if (typeof value === 'string') return value !== '';
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'bigint') return true;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Dict) return value.size > 0;
  return isTrueObject(value);
}

function isTrueObject(value: Exclude<Value, null | boolean | string | number | bigint | Value[] | Dict>): boolean {
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Markup) return value.text !== '';
  if (value instanceof Undefined) {
    if (value.lenient) return false;
    throw undefinedFault(value.describe());
  }
  return value.truth();
}
