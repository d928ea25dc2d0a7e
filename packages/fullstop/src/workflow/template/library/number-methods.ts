import { bitLength } from '../evaluate/integer.js';
import { toFloat } from '../evaluate/real.js';
import { exactFraction } from '../text/exact-decimal.js';
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
