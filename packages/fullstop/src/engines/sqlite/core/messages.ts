import type { AnswerReceipt } from '../../port/request.js';
import type { AnswerRow, InputOf, OutputOf, StoredMessage } from '../operations.js';
import { type Context, findRun, type RunRow } from './context.js';
import { openSegment, wake } from './waking.js';

export function answer(context: Context, { runId, answer: given, now }: InputOf<'answer'>): OutputOf<'answer'> {
  const run = findRun(context, runId);
  if (run === undefined) return { receipt: { status: 'unknown' } };
  const refused = receiptFor(context, run, given.requestId, now);
  if (refused !== undefined) return { receipt: refused };
  const message = deliver(context, run, given, now);
  if (run.state === 'parked') wake(context, run, { because: 'answer', by: given.by, now });
  return { receipt: { status: 'delivered', at: now }, message };
}

interface RequestRow {
  readonly state: 'open' | 'answered' | 'expired';
  readonly deadline: number | null;
  readonly answered_at: number | null;
  readonly answered_by: string | null;
}

/** Why an answer cannot be taken, if so. */
function receiptFor({ connection }: Context, run: RunRow, requestId: string, now: number): AnswerReceipt | undefined {
  const first = connection
    .sql<{ at: number; sender: string | null }>(
      "SELECT at, sender FROM inbox WHERE run = ? AND request = ? AND type = 'answer'",
    )
    .get(run.id, requestId);
  if (first !== undefined) return already(first.at, first.sender);
  const request = connection
    .sql<RequestRow>('SELECT state, deadline, answered_at, answered_by FROM requests WHERE run = ? AND request = ?')
    .get(run.id, requestId);
  // Only imported runs have answers that never were in the inbox.
  if (request?.state === 'answered') return already(request.answered_at ?? 0, request.answered_by);
  if (run.closed === 1) return { status: 'ended' };
  if (request === undefined) return { status: 'unknown' };
  const { deadline } = request;
  const late = request.state === 'expired' || (deadline !== null && now >= deadline);
  return late ? { status: 'expired', deadline: deadline ?? now } : undefined;
}

function already(at: number, by: string | null): AnswerReceipt {
  return { status: 'already', at, ...(by !== null && { by }) };
}

function deliver(context: Context, run: RunRow, { requestId, by, data }: AnswerRow, now: number): StoredMessage {
  return send(context, run, { type: 'answer', request: requestId, sender: by, data, at: now });
}

interface Letter {
  readonly type: 'answer' | 'cancel';
  readonly request: string | null;
  readonly sender: string | null;
  readonly data: string;
  readonly at: number;
}

function send({ connection, codec }: Context, run: RunRow, { type, request, sender, data, at }: Letter): StoredMessage {
  const row = connection
    .sql<{ id: number }>(
      'INSERT INTO inbox (run, type, request, sender, at, data) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
    )
    .get(run.id, type, request, sender, at, codec.encode(data));
  return { id: (row as { id: number }).id, runId: run.run_id, type, request, at, data };
}

export function cancel(context: Context, { runId, by, data, now }: InputOf<'cancel'>): OutputOf<'cancel'> {
  const run = findRun(context, runId);
  if (run === undefined) return 'unknown';
  if (run.state === 'ended') return 'ended';
  const message = send(context, run, { type: 'cancel', request: null, sender: by, data, at: now });
  if (run.state === 'parked') wake(context, run, { because: 'cancel', by, now });
  return message;
}

/** Opens the segment behind an ending; of two callers that saw the same ending one wins. */
export function reopen(context: Context, input: InputOf<'reopen'>): OutputOf<'reopen'> {
  const { runId, after, because, by, options, answers, now } = input;
  const run = findRun(context, runId);
  if (run === undefined) return { status: 'unknown' };
  if (run.ending_seq === null || run.segment !== after)
    return { status: 'conflict', segment: run.segment, by: run.opened_by };
  const ending = context.reader.entry(run.id, run.ending_seq);
  if (run.closed === 1 && ending !== undefined) return { status: 'closed', ending };
  for (const { requestId } of answers) {
    const receipt = receiptFor(context, run, requestId, now);
    if (receipt !== undefined) return { status: 'refused', requestId, receipt };
  }
  for (const given of answers) deliver(context, run, given, now);
  return { status: 'opened', segment: openSegment(context, run, { because, by, options, now }) };
}

interface InboxRow {
  readonly id: number;
  readonly run_id: string;
  readonly type: 'answer' | 'cancel';
  readonly request: string | null;
  readonly at: number;
  readonly data: string;
}

/** The messages that no entry has consumed yet, oldest first. */
export function unconsumed(context: Context, run: number): readonly StoredMessage[] {
  const rows = context.connection
    .sql<InboxRow>(
      'SELECT i.id, r.run_id, i.type, i.request, i.at, i.data FROM inbox i JOIN runs r ON r.id = i.run WHERE i.run = ? AND i.consumed = 0 ORDER BY i.id',
    )
    .all(run);
  return rows.map((row) => toMessage(context, row));
}

/** The newest message of all runs. */
export function lastMessageId({ connection }: Context): number {
  return connection.sql<{ last: number | null }>('SELECT max(id) AS last FROM inbox').get()?.last ?? 0;
}

/**
 * What has arrived behind a place in the inbox for the runs that an owner has by now: also for one that was claimed
 * since it asked, whose messages nobody would read again.
 */
export function messages(context: Context, { after, ownerId }: InputOf<'messages'>): OutputOf<'messages'> {
  const last = lastMessageId(context);
  if (last <= after) return { messages: [], last };
  const rows = context.connection
    .sql<InboxRow>(
      'SELECT i.id, r.run_id, i.type, i.request, i.at, i.data FROM inbox i JOIN runs r ON r.id = i.run WHERE i.id > ? AND i.consumed = 0 AND r.owner = ? ORDER BY i.id',
    )
    .all(after, ownerId);
  return { messages: rows.map((row) => toMessage(context, row)), last };
}

/** Closes a request whose deadline has passed, in one transaction with the look for an answer that came before that. */
export function expire(context: Context, { claim, requestId }: InputOf<'expire'>): OutputOf<'expire'> {
  if (!context.epochs.isCurrent(claim)) return 'fenced';
  const { connection } = context;
  const inTime = connection
    .sql<InboxRow>(
      `SELECT i.id, r.run_id, i.type, i.request, i.at, i.data FROM inbox i JOIN runs r ON r.id = i.run JOIN requests q ON q.run = i.run AND q.request = i.request
       WHERE i.run = ? AND i.request = ? AND i.type = 'answer' AND i.consumed = 0 AND i.at < q.deadline`,
    )
    .get(claim.run, requestId);
  if (inTime !== undefined) return toMessage(context, inTime);
  connection
    .sql("UPDATE requests SET state = 'expired' WHERE run = ? AND request = ? AND state = 'open'")
    .run(claim.run, requestId);
  return 'expired';
}

function toMessage({ codec }: Context, { id, run_id: runId, type, request, at, data }: InboxRow): StoredMessage {
  return { id, runId, type, request, at, data: codec.decode(data) };
}
