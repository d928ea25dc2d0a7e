import { limits, spend } from '../evaluate/evaluation.js';
import { limitFault, runtimeFault, typeFault, valueFault, zeroDivisionFault } from '../evaluate/fault.js';
import { exactFraction } from '../text/exact-decimal.js';
import { float, int, type Value } from '../value.js';
import { floatPower, toFloat } from './real.js';

type Int = number | bigint;

/** The number of bits of a magnitude. */
export function bitLength(value: Int): number {
  if (typeof value === 'number') return value === 0 ? 0 : BigInt(Math.abs(value)).toString(2).length;
  const digits = (value < 0n ? -value : value).toString(16);
  return (digits.length - 1) * 4 + Number.parseInt(digits.charAt(0), 16).toString(2).length;
}

function allowBits(bits: number): void {
  if (bits > limits.intBits) throw limitFault(`an int of more than ${limits.intBits} bits is refused`);
  spend(bits >>> 8);
}

/** A product of big ints. */
export function intProduct(a: bigint, b: bigint): bigint {
  allowBits(bitLength(a) + bitLength(b));
  return a * b;
}

/** True division, rounded once. */
export function intDivide(a: Int, b: Int): Value {
  if (Number(b) === 0) throw zeroDivisionFault('division by zero');
  if (typeof a === 'number' && typeof b === 'number') return float(a / b + 0);
  return float(exactQuotient(BigInt(a), BigInt(b)));
}

/** Keeps 66 bits of the quotient and a sticky one, so that the conversion rounds as the true quotient would. */
function exactQuotient(a: bigint, b: bigint): number {
  const negative = a < 0n !== b < 0n;
  const dividend = a < 0n ? -a : a;
  const divisor = b < 0n ? -b : b;
  const shift = 66 - (bitLength(dividend) - bitLength(divisor));
  const scaled = shift >= 0 ? dividend << BigInt(shift) : dividend;
  const by = shift >= 0 ? divisor : divisor << BigInt(-shift);
  const quotient = scaled / by;
  const sticky = scaled % by === 0n ? quotient : quotient | 1n;
  const magnitude = Number(sticky) * 2 ** -shift;
  if (!Number.isFinite(magnitude)) throw runtimeFault('OverflowError', 'integer division result too large for a float');
  return negative ? -magnitude : magnitude;
}

/** Division rounded down. */
export function intFloor(a: Int, b: Int): Value {
  if (Number(b) === 0) throw zeroDivisionFault('integer division or modulo by zero');
  if (typeof a === 'number' && typeof b === 'number' && Math.abs(a) < 2 ** 50) return Math.floor(a / b) + 0;
  const dividend = BigInt(a);
  const divisor = BigInt(b);
  const quotient = dividend / divisor;
  const inexact = dividend % divisor !== 0n && dividend < 0n !== divisor < 0n;
  return int(inexact ? quotient - 1n : quotient);
}

/** The remainder with the sign of the divisor. */
export function intModulo(a: Int, b: Int): Value {
  if (Number(b) === 0) throw zeroDivisionFault('integer modulo by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const rest = a % b;
    return (rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest) + 0;
  }
  const divisor = BigInt(b);
  const rest = BigInt(a) % divisor;
  return int(rest !== 0n && rest < 0n !== divisor < 0n ? rest + divisor : rest);
}

/** A power; a negative exponent makes a float. */
export function intPower(a: Int, b: Int): Value {
  if (b < 0) {
    if (Number(a) === 0) throw zeroDivisionFault('0.0 cannot be raised to a negative power');
    return floatPower(toFloat(a), toFloat(b));
  }
  const bits = bitLength(a);
  if (bits > 1) allowBits(bits * Number(b));
  if (bits <= 1) return unitPower(Number(a), BigInt(b) % 2n === 0n, Number(b) === 0);
  return int(BigInt(a) ** BigInt(b));
}

/** Powers of -1, 0 and 1 need no work, whatever the exponent is. */
function unitPower(base: number, even: boolean, none: boolean): Value {
  if (none) return 1;
  return base === -1 && even ? 1 : base;
}

/** Operations on bits, which only ints have. */
export function bitwise(operator: '&' | '|' | '^' | '<<' | '>>', a: bigint, b: bigint): Value {
  switch (operator) {
    case '&':
      return int(a & b);
    case '|':
      return int(a | b);
    case '^':
      return int(a ^ b);
    case '<<':
    case '>>':
      return shiftInteger(operator, a, b);
  }
}

function shiftInteger(operator: '<<' | '>>', a: bigint, b: bigint): Value {
  if (b < 0n) throw valueFault('negative shift count');
  if (operator === '>>') return int(a >> b);
  if (a !== 0n) allowBits(bitLength(a) + Number(b));
  return a === 0n ? 0 : int(a << b);
}

/** Cuts a float to an int. */
export function truncateFloat(value: number): Value {
  if (Number.isNaN(value)) throw valueFault('cannot convert float NaN to integer');
  if (!Number.isFinite(value)) throw runtimeFault('OverflowError', 'cannot convert float infinity to integer');
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole + 0 : int(exactFraction(whole).numerator);
}

/** The int that an argument stands for; booleans count. */
export function indexOf(value: Value, message?: string): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  if (typeof value === 'bigint') return value > 0n ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
  throw typeFault(message ?? 'an integer is required');
}
