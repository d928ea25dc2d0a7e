import type { JsonObject } from '../../../termination/json.js';
import { readStoredAnswer, readStoredCancel } from '../../door/stored-rows.js';
import type { AnswerReceipt } from '../../port/request.js';
import { refuseAnswer } from '../../rules/answer-receipt.js';
import { receiveCancel } from '../../rules/cancel-receipt.js';
import { expireRequest } from '../../rules/expiry.js';
import { refuseReopening } from '../../rules/reopen-receipt.js';
import { hashOfRow } from '../../store/chain.js';
import type { AnswerRow, InputOf, OutputOf, StoredMessage } from '../../store/operations.js';
import { type Context, findRun, type RunRow } from './context.js';
import { readRequest, storeRequest } from './requests.js';
import { type Columns, integer, optional, text, word } from './rows/columns.js';
import { damagedRow } from './rows/damaged-row.js';
import type { Found } from './rows/select.js';
import { laterTurn } from './start.js';
import { openSegment, wakeIfDue } from './waking.js';

export function answer(context: Context, { runId, answer: given, now }: InputOf<'answer'>): OutputOf<'answer'> {
  const run = findRun(context, runId);
  if (run === undefined) return { receipt: { status: 'unknown' } };
  const refused = receiptFor(context, run, given.requestId, now);
  if (refused !== undefined) {
    // Whoever is told that the deadline has passed may count on its being applied.
    if (refused.status === 'expired') wakeIfDue(context, run, [], now);
    return { receipt: refused };
  }
  const message = deliver(context, run, given, now);
  wakeIfDue(context, run, [{ type: 'answer', by: given.by ?? undefined }], now);
  return { receipt: { status: 'delivered', at: now }, message };
}

const answerColumns = { at: integer('at'), sender: optional(text('sender')) };

/** Why an answer cannot be delivered, if so. */
function receiptFor(context: Context, run: RunRow, requestId: string, now: number): AnswerReceipt | undefined {
  const first = context.connection
    .select(answerColumns, "FROM inbox WHERE run = ? AND request = ? AND type = 'answer'")
    .get(run.id, requestId);
  const delivered = first && { at: first.at, by: first.sender ?? undefined };
  const request = readRequest(context, run.id, requestId);
  return refuseAnswer({ delivered, request, closed: run.closed === 1, now });
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
  const stored = codec.encode(data);
  const row = connection
    .sql<{ id: number }>(
      'INSERT INTO inbox (run, type, request, sender, at, data, hash) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id',
    )
    .get(run.id, type, request, sender, at, stored, hashOfRow([type, request, sender, at], stored));
  return { id: (row as { id: number }).id, runId: run.run_id, type, request, at, data };
}

export function cancel(context: Context, { runId, by, data, now }: InputOf<'cancel'>): OutputOf<'cancel'> {
  const run = findRun(context, runId);
  const receipt = receiveCancel(run?.state);
  if (run === undefined || receipt !== 'requested') return receipt === 'requested' ? 'unknown' : receipt;
  const message = send(context, run, { type: 'cancel', request: null, sender: by, data, at: now });
  wakeIfDue(context, run, [{ type: 'cancel', by }], now);
  return message;
}

/** Opens the segment after an ending; of two callers that saw the same ending one wins. */
export function reopen(context: Context, input: InputOf<'reopen'>): OutputOf<'reopen'> {
  const { runId, after, because, by, options, answers, now } = input;
  const run = findRun(context, runId);
  if (run === undefined) return { status: 'unknown' };
  const { ending_seq: endingSeq } = run;
  const refusal = refuseReopening({
    after,
    segment: run.segment,
    openedBy: run.opened_by ?? undefined,
    ending: endingSeq === null ? undefined : { open: run.closed !== 1 },
    laterTurn: laterTurn(context, run),
  });
  if (refusal?.status === 'conflict' || refusal?.status === 'superseded') return refusal;
  if (refusal?.status === 'closed')
    return { status: 'closed', ending: context.reader.linked(run.id, runId, endingSeq as number) };
  for (const { requestId } of answers) {
    const receipt = receiptFor(context, run, requestId, now);
    if (receipt !== undefined) return { status: 'refused', requestId, receipt };
  }
  for (const given of answers) deliver(context, run, given, now);
  const opening = {
    because,
    by: by ?? undefined,
    now,
    ...(options !== null && { options: JSON.parse(options) as JsonObject }),
  };
  return { status: 'opened', segment: openSegment(context, run, opening) };
}

interface InboxRow {
  readonly id: number;
  readonly run_id: string;
  readonly type: 'answer' | 'cancel';
  readonly request: string | null;
  readonly at: number;
  readonly data: string;
  readonly sender: string | null;
  /** Absent in rows of earlier versions. */
  readonly hash: string | null;
}

const inboxColumns: Columns<InboxRow> = {
  id: integer('i.id'),
  run_id: text('r.run_id'),
  type: word('i.type', ['answer', 'cancel']),
  request: optional(text('i.request')),
  at: integer('i.at'),
  data: text('i.data'),
  sender: optional(text('i.sender')),
  hash: optional(text('i.hash')),
};

/** The messages that no entry has consumed yet, oldest first. */
export function readUnconsumed(context: Context, run: number): readonly StoredMessage[] {
  return context.connection
    .select(inboxColumns, 'FROM inbox i JOIN runs r ON r.id = i.run WHERE i.run = ? AND i.consumed = 0 ORDER BY i.id')
    .all(run)
    .map((row) => toMessage(context, row));
}

/** The newest message of all runs. */
export function lastMessageId({ connection }: Context): number {
  return connection.sql<{ last: number | null }>('SELECT max(id) AS last FROM inbox').get()?.last ?? 0;
}

/**
 * The messages after a place in the inbox for the runs that an owner has by now: also for one that was claimed
 * since it asked, whose messages nobody would read again.
 */
export function messages(context: Context, { after, ownerId }: InputOf<'messages'>): OutputOf<'messages'> {
  const last = lastMessageId(context);
  if (last <= after) return { messages: [], last };
  const rows = context.connection
    .select(
      inboxColumns,
      'FROM inbox i JOIN runs r ON r.id = i.run WHERE i.id > ? AND i.consumed = 0 AND r.owner = ? ORDER BY i.id',
    )
    .found(after, ownerId);
  return { messages: rows.flatMap((found) => readable(context, found)), last };
}

/** Closes a request whose deadline has passed, in one transaction with the look for an answer that arrived in time. */
export function expire(context: Context, { claim, requestId }: InputOf<'expire'>): OutputOf<'expire'> {
  if (!context.epochs.isCurrent(claim)) return 'fenced';
  const request = readRequest(context, claim.run, requestId);
  const row = context.connection
    .select(
      inboxColumns,
      "FROM inbox i JOIN runs r ON r.id = i.run WHERE i.run = ? AND i.request = ? AND i.type = 'answer' AND i.consumed = 0",
    )
    .get(claim.run, requestId);
  if (row !== undefined && expireRequest({ request, answeredAt: row.at }) === 'answered')
    return toMessage(context, row);
  if (request?.state === 'open') storeRequest(context, claim.run, { id: requestId, to: 'expired' });
  return 'expired';
}

/** A message that is damaged hides no other; its run is set aside when it is claimed the next time. */
function readable(context: Context, found: Found<InboxRow>): readonly StoredMessage[] {
  return 'row' in found && fitsHash(found.row) ? [toMessage(context, found.row)] : [];
}

function fitsHash({ type, request, sender, at, data, hash }: InboxRow): boolean {
  return hash === null || hash === hashOfRow([type, request, sender, at], data);
}

function toMessage({ codec }: Context, row: InboxRow): StoredMessage {
  const { id, run_id: runId, type, request, at, data } = row;
  if (!fitsHash(row)) throw damagedRow(`a message to ${runId} is not what was sent`);
  const text = codec.decode(data);
  // An earlier version let in anything: whoever gets such a message could only end the process.
  const place = { table: 'inbox', runId };
  const content = type === 'cancel' ? readStoredCancel(place, text) : readStoredAnswer(place, request ?? '', text);
  return { id, runId, type, request, at, data: JSON.stringify(content) };
}
