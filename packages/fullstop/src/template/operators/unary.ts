import { typeFault, undefinedFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { Float, float, int, Undefined, type Value } from '../value.js';
import { numeric } from './compare.js';

export type UnaryOperator = '-' | '+' | '~';

/** A Python unary operation other than `not`. */
export function unary(operator: UnaryOperator, value: Value): Value {
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  const number = numeric(value);
  const floating = value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));
  if (number === undefined || (operator === '~' && floating)) {
    throw typeFault(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  }
  if (operator === '~') return int(~BigInt(number));
  if (operator === '+') return typeof value === 'boolean' ? number : value;
  if (floating) return float(-Number(number));
  return typeof number === 'bigint' ? int(-number) : 0 - number;
}
