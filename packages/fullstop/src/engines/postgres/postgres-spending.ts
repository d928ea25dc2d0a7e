import type { SharedBudgetState, Spending, SpendingReport } from '../port/spending.js';
import { shareSpending } from './core/spending.js';
import type { PostgresStore } from './postgres-store.js';

/** The account of all runs of a store, in its database. */
export function postgresSpending(store: PostgresStore): Spending {
  /** The last reports of runs that are being written, and how many are. */
  const latest = new Map<string, { report: SpendingReport; count: number }>();
  return {
    async share(report): Promise<readonly SharedBudgetState[]> {
      const { runId } = report;
      const known = latest.get(runId) ?? { report, count: 0 };
      latest.set(runId, known);
      known.report = report;
      known.count += 1;
      try {
        // A report that is written again, because the server was away, must not take the place of a later one.
        return await store.ask((sql) => shareSpending(sql, known.report));
      } finally {
        known.count -= 1;
        if (known.count === 0) latest.delete(runId);
      }
    },
  };
}
