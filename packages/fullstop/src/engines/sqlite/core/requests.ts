import { changeRequest, type RequestChange, type RequestFacts } from '../../rules/request-facts.js';
import type { InputOf, OutputOf } from '../../store/operations.js';
import { type Context, findRun } from './context.js';
import { type Columns, integer, optional, text, word } from './rows/columns.js';

interface RequestRow {
  readonly seq: number;
  readonly state: RequestFacts['state'];
  readonly deadline: number | null;
  readonly answered_at: number | null;
  readonly answered_by: string | null;
}

const requestColumns: Columns<RequestRow> = {
  seq: integer('seq'),
  state: word('state', ['open', 'answered', 'expired']),
  deadline: optional(integer('deadline')),
  answered_at: optional(integer('answered_at')),
  answered_by: optional(text('answered_by')),
};

function readRow({ connection }: Context, run: number, requestId: string): RequestRow | undefined {
  return connection.select(requestColumns, 'FROM requests WHERE run = ? AND request = ?').get(run, requestId);
}

export function readRequest(context: Context, run: number, requestId: string): RequestFacts | undefined {
  const row = readRow(context, run, requestId);
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
export function storeRequest(context: Context, run: number, change: RequestChange, seq = 0): void {
  const row = readRow(context, run, change.id);
  const facts = changeRequest(row && toFacts(row), change);
  const { connection } = context;
  if (facts === undefined) {
    connection.sql('DELETE FROM requests WHERE run = ? AND request = ?').run(run, change.id);
    return;
  }
  const openedAt = change.to === 'open' ? seq : (row?.seq ?? seq);
  const { state, deadline, answeredAt, answeredBy } = facts;
  connection
    .sql(
      `INSERT INTO requests (run, request, seq, state, deadline, answered_at, answered_by) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (run, request) DO UPDATE SET seq = excluded.seq, state = excluded.state, deadline = excluded.deadline,
       answered_at = excluded.answered_at, answered_by = excluded.answered_by`,
    )
    .run(run, change.id, openedAt, state, deadline ?? null, answeredAt ?? null, answeredBy ?? null);
}

const seqColumn = { seq: integer('seq') };

/** The texts of the entries that opened the requests which wait for an answer. */
export function openRequests(context: Context, { runId }: InputOf<'openRequests'>): OutputOf<'openRequests'> {
  const run = findRun(context, runId);
  if (run === undefined) return [];
  const rows = context.connection
    .select(seqColumn, "FROM requests WHERE run = ? AND state = 'open' ORDER BY id")
    .all(run.id);
  return rows.map(({ seq }) => context.reader.linked(run.id, runId, seq).data);
}
