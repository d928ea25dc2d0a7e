import { fromNanoUsd, toNanoUsd } from '../../port/money.js';
import type { SharedBudgetState, SpendingReport } from '../../port/spending.js';
import type { Sql } from '../connection/sql.js';

interface BudgetRow {
  readonly run_id: string;
  readonly limit_tokens: number | null;
  readonly limit_nanos: number | null;
  readonly tokens: number;
  readonly nanos: number;
}

/** Writes what a run has used, and adds up what all below each of its budgets have used. */
export async function shareSpending(sql: Sql, report: SpendingReport): Promise<readonly SharedBudgetState[]> {
  const { runId, ancestors, tokens, costUsd, limits } = report;
  const nanos = limits.costUsd === undefined ? null : toNanoUsd(limits.costUsd);
  await sql.run(
    `INSERT INTO @spending (run_id, ancestors, tokens, nanos, limit_tokens, limit_nanos) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (run_id) DO UPDATE SET ancestors = excluded.ancestors, tokens = excluded.tokens, nanos = excluded.nanos,
       limit_tokens = excluded.limit_tokens, limit_nanos = excluded.limit_nanos`,
    [runId, ancestors, tokens, toNanoUsd(costUsd), limits.tokens ?? null, nanos],
  );
  const rows = await sql.rows<BudgetRow>(
    `SELECT b.run_id, b.limit_tokens::float8 AS limit_tokens, b.limit_nanos::float8 AS limit_nanos,
       sum(s.tokens)::float8 AS tokens, sum(s.nanos)::float8 AS nanos
     FROM @spending b JOIN @spending s ON s.run_id = b.run_id OR s.ancestors @> ARRAY[b.run_id]
     WHERE b.run_id = ANY($1::text[]) AND (b.limit_tokens IS NOT NULL OR b.limit_nanos IS NOT NULL)
     GROUP BY b.run_id`,
    [[...ancestors, runId]],
  );
  return rows.map((row) => ({
    runId: row.run_id,
    limits: {
      ...(row.limit_tokens !== null && { tokens: row.limit_tokens }),
      ...(row.limit_nanos !== null && { costUsd: fromNanoUsd(row.limit_nanos) }),
    },
    tokens: row.tokens,
    costUsd: fromNanoUsd(row.nanos),
  }));
}
