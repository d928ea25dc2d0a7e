/** How an attack came out: how often what happened, and every way in which a promise was broken. */
export interface AttackResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

export interface AttackOptions {
  readonly seed: number;
  /** How much work: flips, kills, signals, cases. Never a time. */
  readonly count: number;
  onProgress?(done: number): void;
}

/** Something that is done to runs and stores to see that the promises hold. */
export interface Attack {
  readonly name: string;
  /** The unit of `count`. */
  readonly of: string;
  /** How much of it is part of `npm test`. */
  readonly short: number;
  /** How much of it `npm run attack` does. */
  readonly long: number;
  perform(options: AttackOptions): Promise<AttackResult>;
}
