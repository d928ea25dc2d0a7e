import { limits } from '../evaluate/evaluation.js';
import { Fault, limitFault, runtimeFault, typeFault, undefinedFault, valueFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { invalidInt, parseFloatText, parseIntText } from '../library/parse-number.js';
import type { Bound } from '../library/signature.js';
import { intArgument } from '../library/text-search.js';
import { binary } from '../operators/arithmetic.js';
import { numeric } from '../operators/compare.js';
import { indexOf, truncateFloat } from '../operators/integer.js';
import { toFloat } from '../operators/real.js';
import { isTrue } from '../operators/truth.js';
import { unary } from '../operators/unary.js';
import { divideEven, scaledRound } from '../text/exact-decimal.js';
import { formatReal } from '../text/format-real.js';
import { quote } from '../text/python-text.js';
import { float, int, isFloat, isText, textOf, Undefined, type Value } from '../value.js';
import { type Filter, filter } from './filter.js';

/** Python's `int(value)` and `int(text, base)`. */
export function toInt(value: Value, base = 10): Value {
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (isText(value)) {
    if (base !== 0 && (base < 2 || base > 36)) throw valueFault('int() base must be >= 2 and <= 36, or 0');
    const parsed = parseIntText(textOf(value), base);
    if (parsed === undefined) throw invalidInt(textOf(value), base);
    return parsed;
  }
  const number = numeric(value);
  if (number === undefined) {
    throw typeFault(`int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`);
  }
  return isFloat(value) ? truncateFloat(Number(number)) : number;
}

/** Python's `float(value)`. */
export function toFloatValue(value: Value): number {
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (isText(value)) {
    const parsed = parseFloatText(textOf(value));
    if (parsed === undefined) throw valueFault(`could not convert string to float: ${quote(textOf(value))}`);
    return parsed;
  }
  if (numeric(value) === undefined) {
    throw typeFault(`float() argument must be a string or a real number, not '${typeName(value)}'`);
  }
  return toFloat(value);
}

/** Whether a failure is one of those that Python code would catch by name. */
function isCaught(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Fault && error.reason === 'runtime' && names.includes(error.errorType);
}

function intFilter([value = null, fallback = 0, base = 10]: Bound): Value {
  try {
    return isText(value) ? toInt(value, intArgument(base, 10)) : toInt(value);
  } catch (error) {
    if (!isCaught(error, 'TypeError', 'ValueError')) throw error;
  }
  try {
    return truncateFloat(toFloatValue(value));
  } catch (error) {
    if (isCaught(error, 'TypeError', 'ValueError', 'OverflowError')) return fallback;
    throw error;
  }
}

function floatFilter([value = null, fallback = float(0)]: Bound): Value {
  try {
    return float(toFloatValue(value));
  } catch (error) {
    if (isCaught(error, 'TypeError', 'ValueError')) return fallback;
    throw error;
  }
}

function roundFilter([value = null, precision = 0, method = 'common']: Bound): Value {
  if (method !== 'common' && method !== 'ceil' && method !== 'floor') {
    throw runtimeFault('FilterArgumentError', 'method must be common, ceil or floor');
  }
  if (method === 'common') return roundValue(value, precision);
  const scale = binary('**', 10, precision);
  const scaled = binary('*', value, scale);
  if (numeric(scaled) === undefined) throw typeFault(`must be real number, not ${typeName(scaled)}`);
  const whole = isFloat(scaled)
    ? truncateFloat(method === 'ceil' ? Math.ceil(toFloat(scaled)) : Math.floor(toFloat(scaled)))
    : scaled;
  return binary('/', whole, scale);
}

/** Python's `round(value, digits)`. */
function roundValue(value: Value, precision: Value): Value {
  const number = numeric(value);
  if (number === undefined) throw typeFault(`type ${typeName(value)} doesn't define __round__ method`);
  const digits = indexOf(precision, `'${typeName(precision)}' object cannot be interpreted as an integer`);
  if (!isFloat(value)) return roundedInt(BigInt(number), digits);
  const real = Number(number);
  if (!Number.isFinite(real) || digits > 330) return float(real);
  if (digits < -330) return float(0 * real);
  const scaled = scaledRound(real, digits);
  const sign = real < 0 || Object.is(real, -0) ? '-' : '';
  const magnitude = scaled < 0n ? -scaled : scaled;
  return float(Number(`${sign}${magnitude}e${-digits}`));
}

function roundedInt(value: bigint, digits: number): Value {
  if (digits >= 0) return int(value);
  if (-digits * 4 > limits.intBits) throw limitFault('the precision is too large');
  const unit = 10n ** BigInt(-digits);
  return int(divideEven(value, unit) * unit);
}

const units = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'];

function fileSize([value = null, binaryUnits = false]: Bound): Value {
  const bytes = toFloatValue(value);
  const base = isTrue(binaryUnits) ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Number(truncateFloat(bytes) as number)} Bytes`;
  let index = 0;
  while (index < units.length - 1 && !(bytes < base ** (index + 2))) index += 1;
  const amount = (base * bytes) / base ** (index + 2);
  const unit = units[index] ?? '';
  const shown = base === 1000 ? unit : `${unit.charAt(0).toUpperCase()}iB`;
  return `${formatReal(amount, { style: 'f', precision: 1, alternate: false })} ${shown}`;
}

function absolute([value = null]: Bound): Value {
  const number = numeric(value);
  if (number === undefined) throw typeFault(`bad operand type for abs(): '${typeName(value)}'`);
  if (isFloat(value)) return float(Math.abs(Number(number)));
  return number < 0 ? unary('-', value) : number;
}

/** Filters about numbers. */
export const numberFilters: readonly (readonly [string, Filter])[] = [
  ['abs', filter('abs', 'x', absolute)],
  ['filesizeformat', filter('do_filesizeformat', 'value binary?', fileSize)],
  ['float', filter('do_float', 'value default?', floatFilter)],
  ['int', filter('do_int', 'value default? base?', intFilter)],
  ['round', filter('do_round', 'value precision? method?', roundFilter)],
];
