/** Splits a finite float into its exact fraction. */
export function exactFraction(value: number): { numerator: bigint; denominator: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  const signed = bits >> 63n === 1n ? -mantissa : mantissa;
  return power >= 0
    ? { numerator: signed << BigInt(power), denominator: 1n }
    : { numerator: signed, denominator: 1n << BigInt(-power) };
}

/** The integer nearest to `value * 10 ** decimals`; of two the even one. */
export function scaledRound(value: number, decimals: number): bigint {
  const { numerator, denominator } = exactFraction(value);
  return decimals >= 0
    ? divideEven(numerator * 10n ** BigInt(decimals), denominator)
    : divideEven(numerator, denominator * 10n ** BigInt(-decimals));
}

/** Divides to the nearest integer; of two the even one. The divisor is positive. */
export function divideEven(numerator: bigint, denominator: bigint): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  let quotient = magnitude / denominator;
  const twice = (magnitude % denominator) * 2n;
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) quotient += 1n;
  return numerator < 0n ? -quotient : quotient;
}

/** The decimal digits of a magnitude with a fixed number of decimals. */
export function fixedDigits(magnitude: number, decimals: number): string {
  const digits = scaledRound(magnitude, decimals)
    .toString()
    .padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** The digits of a magnitude rounded to `count` significant ones, and the power of ten of the first. */
export function significantDigits(magnitude: number, count: number): { digits: string; exponent: number } {
  if (magnitude === 0) return { digits: '0'.repeat(count), exponent: 0 };
  const exponent = Number(magnitude.toExponential().split('e')[1]);
  const digits = scaledRound(magnitude, count - 1 - exponent).toString();
  return digits.length > count ? { digits: digits.slice(0, count), exponent: exponent + 1 } : { digits, exponent };
}
