import { runtimeFault, typeFault, valueFault, zeroDivisionFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { Float, float, type Value } from '../value.js';

/** A number as a float; ints that are too large fail. */
export function toFloat(value: Value): number {
  if (value instanceof Float) return value.value;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'bigint') throw typeFault(`must be real number, not ${typeName(value)}`);
  const result = Number(value);
  if (!Number.isFinite(result)) throw runtimeFault('OverflowError', 'int too large to convert to float');
  return result;
}

/** The remainder with the sign of the divisor. */
export function floatModulo(a: number, b: number): Value {
  if (b === 0) throw zeroDivisionFault('float modulo');
  return float(remainder(a, b));
}

function remainder(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

/** Division rounded down, which stays a float. */
export function floatFloor(a: number, b: number): Value {
  if (b === 0) throw zeroDivisionFault('float floor division by zero');
  const quotient = (a - (a % b)) / b;
  const rest = a % b;
  const down = rest !== 0 && rest < 0 !== b < 0 ? quotient - 1 : quotient;
  if (down === 0) return float(a / b < 0 || Object.is(a / b, -0) ? -0 : 0);
  const floor = Math.floor(down);
  return float(down - floor > 0.5 ? floor + 1 : floor);
}

export function floatPower(a: number, b: number): Value {
  if (a === 0 && b < 0) throw zeroDivisionFault('0.0 cannot be raised to a negative power');
  if (a < 0 && !Number.isInteger(b) && Number.isFinite(b)) throw valueFault('complex numbers are not supported');
  // Python says that 1 ** nan and (-1) ** inf are 1, JavaScript that they are nan.
  const result = a === 1 || (a === -1 && Math.abs(b) === Number.POSITIVE_INFINITY) ? 1 : power(a, b);
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b)) {
    throw runtimeFault('OverflowError', "(34, 'Numerical result out of range')");
  }
  return float(result);
}

/** Whole numbers are raised exactly and rounded once; the host's own power is off in the last digit at times. */
function power(a: number, b: number): number {
  const isExact = Number.isSafeInteger(a) && a !== 0 && Number.isInteger(b) && b > 0 && b <= 400;
  return isExact ? Number(BigInt(a) ** BigInt(b)) : a ** b;
}
