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
