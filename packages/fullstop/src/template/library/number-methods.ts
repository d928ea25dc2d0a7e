import { bitLength } from '../operators/integer.js';
import { toFloat } from '../operators/real.js';
import { exactFraction } from '../text/exact-decimal.js';
import { floatText } from '../text/float-text.js';
import { Float, int, isFloat, Tuple, type Value } from '../value.js';
import { boundMethod, type MethodTable, methodTable } from './method.js';

const zero = new Float(0);

function ratio(value: number): Value {
  let { numerator, denominator } = exactFraction(value);
  while (denominator > 1n && numerator % 2n === 0n) {
    numerator /= 2n;
    denominator /= 2n;
  }
  return new Tuple([int(numerator), int(denominator)]);
}

/** Python's exact form of a float, such as `0x1.8000000000000p+0`. */
function hexadecimal(value: number): string {
  if (!Number.isFinite(value)) return floatText(value);
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const [high, low] = [bits.getUint32(0), bits.getUint32(4)];
  const sign = high >>> 31 === 1 ? '-' : '';
  if (value === 0) return `${sign}0x0.0p+0`;
  const biased = (high >>> 20) & 0x7ff;
  const exponent = biased === 0 ? -1022 : biased - 1023;
  const digits = (high & 0xfffff).toString(16).padStart(5, '0') + low.toString(16).padStart(8, '0');
  return `${sign}0x${biased === 0 ? 0 : 1}.${digits}p${exponent < 0 ? '' : '+'}${exponent}`;
}

function wholeOf(value: Value): Value {
  return typeof value === 'boolean' ? Number(value) : value;
}

const intMethods: MethodTable<Value> = methodTable<Value>('int', {
  as_integer_ratio: ['', (self) => new Tuple([wholeOf(self), 1])],
  bit_count: [
    '',
    (self) =>
      BigInt(self as number | bigint)
        .toString(2)
        .replaceAll(/[^1]/g, '').length,
  ],
  bit_length: ['', (self) => bitLength(wholeOf(self) as number | bigint)],
  conjugate: ['', (self) => wholeOf(self)],
});

const floatMethods: MethodTable<Value> = methodTable<Value>('float', {
  as_integer_ratio: ['', (self) => ratio(toFloat(self))],
  conjugate: ['', (self) => self],
  hex: ['', (self) => hexadecimal(toFloat(self))],
  is_integer: ['', (self) => Number.isInteger(toFloat(self))],
});

/** Looks up a member of a number. */
export function numberMember(self: Value, name: string): Value | undefined {
  const whole = wholeOf(self);
  if (name === 'real') return whole;
  if (isFloat(whole)) return name === 'imag' ? zero : boundMethod(floatMethods, self, name);
  if (name === 'numerator') return whole;
  if (name === 'denominator') return 1;
  return name === 'imag' ? 0 : boundMethod(intMethods, self, name);
}
