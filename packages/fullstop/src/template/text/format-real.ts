import { allowText } from '../evaluate/evaluation.js';
import { fixedDigits, significantDigits } from './exact-decimal.js';
import { exponentText } from './float-text.js';

/** No float has more decimals than this; the rest are zeros. */
const mostDecimals = 1100;

/** How the digits of a float are laid out. */
export interface RealLayout {
  readonly style: 'e' | 'f' | 'g';
  readonly precision: number;
  /** Keeps the point and trailing zeros. */
  readonly alternate: boolean;
}

/** A magnitude in fixed, exponential or general notation, as C and Python print it. */
export function formatReal(magnitude: number, layout: RealLayout): string {
  if (Number.isNaN(magnitude)) return 'nan';
  if (!Number.isFinite(magnitude)) return 'inf';
  allowText(layout.precision + 400);
  switch (layout.style) {
    case 'f':
      return fixed(magnitude, layout.precision, layout.alternate);
    case 'e':
      return exponential(magnitude, layout.precision, layout.alternate);
    case 'g':
      return general(magnitude, layout);
  }
}

function fixed(magnitude: number, precision: number, alternate: boolean): string {
  const digits = fixedDigits(magnitude, Math.min(precision, mostDecimals));
  if (precision === 0) return alternate ? `${digits}.` : digits;
  return precision > mostDecimals ? digits + '0'.repeat(precision - mostDecimals) : digits;
}

function exponential(magnitude: number, precision: number, alternate: boolean): string {
  const { digits, exponent } = significantDigits(magnitude, Math.min(precision, mostDecimals) + 1);
  const fraction = digits.slice(1).padEnd(precision, '0');
  const point = fraction !== '' || alternate ? '.' : '';
  return `${digits.charAt(0)}${point}${fraction}e${exponentText(exponent)}`;
}

function general(magnitude: number, { precision, alternate }: RealLayout): string {
  const count = Math.max(1, precision);
  const { exponent } = significantDigits(magnitude, Math.min(count, mostDecimals));
  if (exponent < -4 || exponent >= count) {
    const text = exponential(magnitude, count - 1, alternate);
    const [mantissa = '', power = ''] = text.split('e');
    return alternate ? text : `${withoutZeros(mantissa)}e${power}`;
  }
  const text = fixed(magnitude, count - 1 - exponent, alternate);
  return alternate ? text : withoutZeros(text);
}

function withoutZeros(text: string): string {
  if (!text.includes('.')) return text;
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end -= 1;
  if (text.charCodeAt(end - 1) === 46) end -= 1;
  return text.slice(0, end);
}
