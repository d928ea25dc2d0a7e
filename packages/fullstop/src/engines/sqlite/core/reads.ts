import { shownState } from '../../rules/waking.js';
import type { InputOf, OutputOf, RunStatus, StoredSummary } from '../operations.js';
import { isGone } from './claims.js';
import { type Context, findRun } from './context.js';
import { whereOf } from './run-filter.js';
import { wakingFacts } from './waking.js';

const summaryColumns = `run_id, name, version, parent_run, parent_scope, state, wake_at, ending_seq, worker, owner, segment, started_at, kind, category, outcome, summary,
  input_tokens, output_tokens, total_tokens, cost_usd, duration_ms, estimated,
  coalesce(ended_at, (SELECT at FROM journal WHERE run = runs.id ORDER BY seq DESC LIMIT 1)) AS updated_at,
  CASE WHEN total_tokens IS NULL THEN (SELECT data FROM journal WHERE run = runs.id AND seq = runs.ending_seq) END AS ending`;

interface SummaryRow {
  readonly ending: string | null;
  readonly run_id: string;
  readonly name: string;
  readonly version: string;
  readonly parent_run: string | null;
  readonly parent_scope: string | null;
  readonly state: StoredSummary['state'];
  readonly wake_at: number | null;
  readonly ending_seq: number | null;
  readonly worker: string | null;
  readonly owner: string | null;
  readonly segment: number;
  readonly started_at: number;
  readonly updated_at: number | null;
  readonly kind: string | null;
  readonly category: string | null;
  readonly outcome: string | null;
  readonly summary: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  readonly cost_usd: number | null;
  readonly duration_ms: number | null;
  readonly estimated: number | null;
}

function toSummary(context: Context, row: SummaryRow, now: number): StoredSummary {
  const { name, version, state, worker, segment, kind, category, outcome } = row;
  return {
    runId: row.run_id,
    name,
    version,
    parentRun: row.parent_run,
    parentScope: row.parent_scope,
    state: shownState(wakingFacts(row, now)),
    worker,
    isOrphaned: state === 'running' && isGone(context, row.owner, now),
    segment,
    startedAt: row.started_at,
    updatedAt: row.updated_at ?? row.started_at,
    kind,
    category,
    outcome,
    summary: row.summary === null ? null : context.codec.decode(row.summary),
    used: usedBy(row),
    ending: row.ending === null ? null : context.reader.text(row.ending),
  };
}

function usedBy(row: SummaryRow): StoredSummary['used'] {
  const { input_tokens, output_tokens, total_tokens: totalTokens, cost_usd: costUsd, duration_ms } = row;
  if (totalTokens === null) return null;
  const usage = { inputTokens: input_tokens ?? 0, outputTokens: output_tokens ?? 0, totalTokens };
  return { usage, costUsd, durationMs: duration_ms ?? 0, ...(row.estimated === 1 && { estimated: true }) };
}

export function summary(context: Context, { runId, now }: InputOf<'summary'>): OutputOf<'summary'> {
  const row = context.connection.sql<SummaryRow>(`SELECT ${summaryColumns} FROM runs WHERE run_id = ?`).get(runId);
  return row && toSummary(context, row, now);
}

/** Newest first; each filter that is given narrows the list. */
export function list(context: Context, filter: InputOf<'list'>): OutputOf<'list'> {
  const { where, values } = whereOf(context, filter);
  const rows = context.connection
    .sql<SummaryRow>(`SELECT ${summaryColumns} FROM runs ${where} ORDER BY started_at DESC, run_id DESC LIMIT ?`)
    .all(...values, filter.limit);
  return rows.map((row) => toSummary(context, row, filter.now));
}

export function journal(context: Context, query: InputOf<'journal'>): OutputOf<'journal'> {
  const run = findRun(context, query.runId);
  return run === undefined ? [] : context.reader.entries(run.id, query);
}

export function verify(context: Context, { runId, head }: InputOf<'verify'>): OutputOf<'verify'> {
  const run = findRun(context, runId);
  if (run !== undefined) return context.reader.verify(run.id, runId, head);
  const tombstone = context.connection
    .sql<{ erased_at: number; entries: number; head: string | null; erased_by: string | null }>(
      'SELECT erased_at, entries, head, erased_by FROM tombstones WHERE run_id = ?',
    )
    .get(runId);
  if (tombstone === undefined) return { status: 'unknown' };
  const { erased_at: at, entries, head: last, erased_by: by } = tombstone;
  return { status: 'erased', at, entries, ...(last !== null && { head: last }), ...(by !== null && { by }) };
}

export function status(context: Context, { runIds }: InputOf<'status'>): OutputOf<'status'> {
  return runIds.flatMap((runId): readonly RunStatus[] => {
    const run = findRun(context, runId);
    if (run === undefined) return [];
    const ending = run.ending_seq === null ? null : (context.reader.entry(run.id, run.ending_seq) ?? null);
    return [{ runId, state: run.state, segment: run.segment, wakeAt: run.wake_at, ending }];
  });
}
