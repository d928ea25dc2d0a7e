/** Tokens that were used. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/** The cost of one journal entry. The ledger is the sum over entries, so that replaying cannot count anything twice. */
export interface Charge {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Absent when the price is not known; never 0 for want of knowledge. */
  readonly costUsd?: number;
  /** True when the provider reported no usage and it had to be guessed. */
  readonly estimated?: boolean;
  /** Tool calls, iterations and whatever else a machine counts. */
  readonly counters?: Readonly<Record<string, number>>;
}

/** The usage of a unit until it ended. */
export interface UnitUsage {
  readonly tokens: number;
  /** The cost as far as prices are known. */
  readonly costUsd: number;
  /** True when some price is not known. */
  readonly unpriced?: boolean;
  /** True when some of the usage was estimated. */
  readonly estimated?: boolean;
}
