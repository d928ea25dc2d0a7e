/** The usage of a run itself, and the limits for it together with all that it has spawned. */
export interface SpendingReport {
  readonly runId: string;
  /** The runs above it, the outermost first. */
  readonly ancestors: readonly string[];
  readonly tokens: number;
  readonly costUsd: number;
  readonly limits: { readonly tokens?: number; readonly costUsd?: number };
}

/** A budget, and what the run that has it and all below it have used of it. */
export interface SharedBudgetState {
  readonly runId: string;
  readonly limits: SpendingReport['limits'];
  readonly tokens: number;
  readonly costUsd: number;
}

/** The account that runs which spawned one another share, wherever they are executed. */
export interface Spending {
  /** Writes what a run has used, in place of what it wrote before, and returns the budgets that hold for it: its own and those above it. */
  share(report: SpendingReport): Promise<readonly SharedBudgetState[]>;
  /** Forgets a run that nothing is above, and all below it. Absent where the account goes with the runs themselves. */
  forget?(runId: string): void;
}
