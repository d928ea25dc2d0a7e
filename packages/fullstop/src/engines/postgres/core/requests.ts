import { changeRequest, type RequestChange, type RequestFacts } from '../../rules/request-facts.js';
import type { InputOf, OutputOf } from '../../store/operations.js';
import { type Context, lookUpRun } from './context.js';

interface RequestRow {
  readonly seq: number;
  readonly state: RequestFacts['state'];
  readonly deadline: number | null;
  readonly answered_at: number | null;
  readonly answered_by: string | null;
}

async function readRow({ sql, writer }: Context, run: number, requestId: string): Promise<RequestRow | undefined> {
  await writer.write();
  return sql.row<RequestRow>(
    'SELECT seq, state, deadline, answered_at, answered_by FROM @requests WHERE run = $1 AND request = $2',
    [run, requestId],
  );
}

export async function readRequest(context: Context, run: number, requestId: string): Promise<RequestFacts | undefined> {
  const row = await readRow(context, run, requestId);
  return row && toFacts(row);
}

function toFacts(row: RequestRow): RequestFacts {
  return {
    state: row.state,
    deadline: row.deadline ?? undefined,
    answeredAt: row.answered_at ?? undefined,
    answeredBy: row.answered_by ?? undefined,
  };
}

/** Applies a change to a request; `seq` is the entry that made it, if one did. */
export async function storeRequest(context: Context, run: number, change: RequestChange, seq = 0): Promise<void> {
  const row = await readRow(context, run, change.id);
  const facts = changeRequest(row && toFacts(row), change);
  const { sql } = context;
  if (facts === undefined) {
    sql.later('DELETE FROM @requests WHERE run = $1 AND request = $2', [run, change.id]);
    return;
  }
  const openedAt = change.to === 'open' ? seq : (row?.seq ?? seq);
  const { state, deadline, answeredAt, answeredBy } = facts;
  sql.later(
    `INSERT INTO @requests (run, request, seq, state, deadline, answered_at, answered_by) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (run, request) DO UPDATE SET seq = excluded.seq, state = excluded.state, deadline = excluded.deadline,
     answered_at = excluded.answered_at, answered_by = excluded.answered_by`,
    [run, change.id, openedAt, state, deadline ?? null, answeredAt ?? null, answeredBy ?? null],
  );
}

/** The texts of the entries that opened the requests which wait for an answer. */
export async function openRequests(
  context: Context,
  { runId }: InputOf<'openRequests'>,
): Promise<OutputOf<'openRequests'>> {
  const run = await lookUpRun(context, runId);
  if (run === undefined) return [];
  const rows = await context.sql.rows<{ seq: number }>(
    "SELECT seq FROM @requests WHERE run = $1 AND state = 'open' ORDER BY id",
    [run.id],
  );
  const texts: string[] = [];
  for (const { seq } of rows) texts.push((await context.reader.linked(run.id, runId, seq)).data);
  return texts;
}
