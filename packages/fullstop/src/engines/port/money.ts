/** Sums of money are counted in billionths of a dollar, because fractions such as 0.1 have no exact binary form. */
const nanosPerUsd = 1_000_000_000;

/** Dollars as a whole number of billionths. */
export function toNanoUsd(usd: number): number {
  return Math.round(usd * nanosPerUsd);
}

/** Billionths as dollars: the number that prints as the shortest decimal. */
export function fromNanoUsd(nanos: number): number {
  return nanos / nanosPerUsd;
}

/** An amount without the rest that calculating with fractions leaves, as in 0.28200000000000003. */
export function roundUsd(usd: number): number {
  return fromNanoUsd(toNanoUsd(usd));
}

/** The exact sum of two amounts: ten times $0.10 is $1. */
export function addUsd(one: number, other: number): number {
  return fromNanoUsd(toNanoUsd(one) + toNanoUsd(other));
}

/** The exact difference of two amounts. */
export function subtractUsd(one: number, other: number): number {
  return fromNanoUsd(toNanoUsd(one) - toNanoUsd(other));
}
