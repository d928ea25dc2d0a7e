import { allowText, limits } from '../evaluate/evaluation.js';
import { valueFault } from '../evaluate/fault.js';
import { withPlainDigits } from '../text/plain-digits.js';
import { quote } from '../text/python-text.js';
import { strip } from '../text/whitespace.js';
import { int, type Value } from '../value.js';

const real =
  /^[+-]?(?:[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9](?:_?[0-9])*)?$/;
const special = /^([+-]?)(inf|infinity|nan)$/i;
const prefixes: ReadonlyMap<number, string> = new Map([
  [2, '0b'],
  [8, '0o'],
  [16, '0x'],
]);

/** Reads a float as Python's `float` does. */
export function parseFloatText(text: string): number | undefined {
  allowText(text.length);
  const trimmed = withPlainDigits(strip(text));
  if (trimmed.length > 100_000) return undefined;
  if (real.test(trimmed)) return Number(trimmed.replaceAll('_', ''));
  const match = special.exec(trimmed);
  if (match === null) return undefined;
  if (match[2]?.toLowerCase() === 'nan') return Number.NaN;
  return match[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Reads an int as Python's `int(text, base)` does; undefined when it is none. */
export function parseIntText(text: string, base = 10): Value | undefined {
  allowText(text.length);
  const match = /^([+-]?)([0-9a-zA-Z_]+)$/.exec(withPlainDigits(strip(text)));
  if (match === null) return undefined;
  const [digits, radix] = splitPrefix((match[2] ?? '').toLowerCase(), base);
  if (digits === undefined || !/^[0-9a-z](?:_?[0-9a-z])*$/.test(digits)) return undefined;
  const clean = digits.replaceAll('_', '');
  if (radix === 10 && clean.length > 4300) {
    throw valueFault(
      `Exceeds the limit (4300 digits) for integer string conversion: value has ${clean.length} digits; use sys.set_int_max_str_digits() to increase the limit`,
    );
  }
  if (clean.length * 6 > limits.intBits) return undefined;
  const magnitude = inBase(clean, radix);
  if (magnitude === undefined) return undefined;
  return int(match[1] === '-' ? -magnitude : magnitude);
}

/** The digits without their prefix, and the base they are in. */
function splitPrefix(digits: string, base: number): [digits: string | undefined, base: number] {
  for (const [radix, prefix] of prefixes) {
    if ((base === radix || base === 0) && digits.startsWith(prefix)) return [digits.slice(2).replace(/^_/, ''), radix];
  }
  if (base !== 0) return [digits, base];
  return [/^0+(?:_0+)*$|^[1-9]/.test(digits) ? digits : undefined, 10];
}

/** The digits of a base that is a power of two. */
function digitsOf(base: number): RegExp {
  if (base === 2) return /^[01]+$/;
  return base === 8 ? /^[0-7]+$/ : /^[0-9a-f]+$/;
}

function inBase(digits: string, base: number): bigint | undefined {
  if (base === 10) return /^[0-9]+$/.test(digits) ? BigInt(digits) : undefined;
  const prefix = prefixes.get(base);
  if (prefix !== undefined) return digitsOf(base).test(digits) ? BigInt(prefix + digits) : undefined;
  if (digits.length > 4300) throw valueFault('Exceeds the limit (4300 digits) for integer string conversion');
  let value = 0n;
  for (const digit of digits) {
    const place = Number.parseInt(digit, 36);
    if (place >= base) return undefined;
    value = value * BigInt(base) + BigInt(place);
  }
  return value;
}

/** The failure of `int(text)`. */
export function invalidInt(text: string, base = 10): Error {
  return valueFault(`invalid literal for int() with base ${base}: ${quote(text)}`);
}
