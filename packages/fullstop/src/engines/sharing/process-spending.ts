import { addUsd } from '../port/money.js';
import type { SharedBudgetState, Spending, SpendingReport } from '../port/spending.js';

/** The account of the runs of one process. */
export function processSpending(): Spending {
  /** By the outermost run of each tree. */
  let trees: Map<string, Map<string, SpendingReport>> | undefined;
  return {
    async share(report) {
      trees ??= new Map();
      const outermost = report.ancestors[0] ?? report.runId;
      const known = (trees.get(outermost) ?? new Map<string, SpendingReport>()).set(report.runId, report);
      trees.set(outermost, known);
      return [...report.ancestors, report.runId].flatMap((runId) => stateOf(runId, known));
    },
    forget(outermost) {
      trees?.delete(outermost);
    },
  };
}

function stateOf(runId: string, reports: ReadonlyMap<string, SpendingReport>): readonly SharedBudgetState[] {
  const { limits } = reports.get(runId) ?? {};
  if (limits === undefined || (limits.tokens === undefined && limits.costUsd === undefined)) return [];
  let [tokens, costUsd] = [0, 0];
  for (const each of reports.values()) {
    if (each.runId !== runId && !each.ancestors.includes(runId)) continue;
    tokens += each.tokens;
    costUsd = addUsd(costUsd, each.costUsd);
  }
  return [{ runId, limits, tokens, costUsd }];
}
