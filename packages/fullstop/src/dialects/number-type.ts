/** The numbers that a type of a foreign language can hold. */
export interface NumberType {
  /** Completes the sentence "must be …". */
  readonly expected: string;
  accepts(value: number): boolean;
  /** The number of this type that is nearest to ours. */
  nearest(value: number): number;
}

/** Rust's `u32`. */
export const u32: NumberType = wholeNumber(0, 2 ** 32 - 1);
/** Rust's `u64`, as far as a number of JavaScript can hold it exactly. */
export const u64: NumberType = wholeNumber(0, Number.MAX_SAFE_INTEGER);
/** The `int` of C#. */
export const int32: NumberType = wholeNumber(-(2 ** 31), 2 ** 31 - 1);
/** A whole number in a language that has only one type of number. */
export const integer: NumberType = wholeNumber(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
/** Any finite number. */
export const double: NumberType = {
  expected: 'a number',
  accepts: Number.isFinite,
  nearest: (value) => value,
};

function wholeNumber(least: number, most: number): NumberType {
  return {
    expected: `a whole number from ${least} to ${most}`,
    accepts: (value) => Number.isInteger(value) && value >= least && value <= most,
    nearest: (value) => Math.min(most, Math.max(least, Math.round(value))),
  };
}
