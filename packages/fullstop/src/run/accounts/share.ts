import type { Ledger } from './ledger.js';

/** The least that limits leave to one call, and whose they are: tokens, and dollars. */
export interface Room {
  readonly tokens: Remainder | undefined;
  readonly cost: Remainder | undefined;
}

interface Remainder {
  readonly left: number;
  readonly ledger: Ledger;
}

/** A part of what is left, set aside for one call. */
export interface Share {
  readonly room: Room;
  release(): void;
}

/** How many tokens an amount pays. Half a billionth is added, because the quotient of two fractions may be just below a whole number. */
export function wholeTokens(amount: number, perToken: number): number {
  return Math.floor(amount / perToken + 0.000_000_000_5);
}
