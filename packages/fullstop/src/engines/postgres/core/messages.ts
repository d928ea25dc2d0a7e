import type { JsonObject } from '../../../termination/json.js';
import { readStoredAnswer, readStoredCancel } from '../../door/stored-rows.js';
import type { AnswerReceipt } from '../../port/request.js';
import { refuseAnswer } from '../../rules/answer-receipt.js';
import { receiveCancel } from '../../rules/cancel-receipt.js';
import { expireRequest } from '../../rules/expiry.js';
import { refuseReopening } from '../../rules/reopen-receipt.js';
import { hashOfRow } from '../../store/chain.js';
import type { AnswerRow, InputOf, OutputOf, StoredMessage } from '../../store/operations.js';
import { type Context, findRun, isCurrent, type RunRow } from './context.js';
import { damagedRows } from './damaged-rows.js';
import { readRequest, storeRequest } from './requests.js';
import { laterTurn } from './start.js';
import { openSegment, wakeIfDue } from './waking.js';

export async function answer(
  context: Context,
  { runId, answer: given, now }: InputOf<'answer'>,
): Promise<OutputOf<'answer'>> {
  const run = await findRun(context, runId);
  if (run === undefined) return { receipt: { status: 'unknown' } };
  const refused = await receiptFor(context, run, given.requestId, now);
  if (refused !== undefined) {
    // Whoever is told that the deadline has passed may count on its being applied.
    if (refused.status === 'expired') await wakeIfDue(context, run, [], now);
    return { receipt: refused };
  }
  const message = await deliver(context, run, given, now);
  await wakeIfDue(context, run, [{ type: 'answer', by: given.by ?? undefined }], now);
  return { receipt: { status: 'delivered', at: now }, message };
}

/** Why an answer cannot be delivered, if so. */
async function receiptFor(
  context: Context,
  run: RunRow,
  requestId: string,
  now: number,
): Promise<AnswerReceipt | undefined> {
  const first = await context.sql.row<{ at: number; sender: string | null }>(
    "SELECT at, sender FROM @inbox WHERE run = $1 AND request = $2 AND type = 'answer'",
    [run.id, requestId],
  );
  const delivered = first && { at: first.at, by: first.sender ?? undefined };
  const request = await readRequest(context, run.id, requestId);
  return refuseAnswer({ delivered, request, closed: run.closed === 1, now });
}

function deliver(
  context: Context,
  run: RunRow,
  { requestId, by, data }: AnswerRow,
  now: number,
): Promise<StoredMessage> {
  return send(context, run, { type: 'answer', request: requestId, sender: by, data, at: now });
}

interface Letter {
  readonly type: 'answer' | 'cancel';
  readonly request: string | null;
  readonly sender: string | null;
  readonly data: string;
  readonly at: number;
}

async function send(
  { sql, codec, writer }: Context,
  run: RunRow,
  { type, request, sender, data, at }: Letter,
): Promise<StoredMessage> {
  await writer.write();
  const stored = codec.encode(data);
  const hash = hashOfRow([type, request, sender, at], stored);
  const row = await sql.row<{ id: number }>(
    'INSERT INTO @inbox (run, type, request, sender, at, data, hash) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id',
    [run.id, type, request, sender, at, stored, hash],
  );
  return { id: (row as { id: number }).id, runId: run.run_id, type, request, at, data };
}

export async function cancel(
  context: Context,
  { runId, by, data, now }: InputOf<'cancel'>,
): Promise<OutputOf<'cancel'>> {
  const run = await findRun(context, runId);
  const receipt = receiveCancel(run?.state);
  if (run === undefined || receipt !== 'requested') return receipt === 'requested' ? 'unknown' : receipt;
  const message = await send(context, run, { type: 'cancel', request: null, sender: by, data, at: now });
  await wakeIfDue(context, run, [{ type: 'cancel', by }], now);
  return message;
}

/** Opens the segment after an ending; of two callers that saw the same ending one wins. */
export async function reopen(context: Context, input: InputOf<'reopen'>): Promise<OutputOf<'reopen'>> {
  const { runId, after, because, by, options, answers, now } = input;
  const run = await findRun(context, runId);
  if (run === undefined) return { status: 'unknown' };
  const { ending_seq: endingSeq } = run;
  const refusal = refuseReopening({
    after,
    segment: run.segment,
    openedBy: run.opened_by ?? undefined,
    ending: endingSeq === null ? undefined : { open: run.closed !== 1 },
    laterTurn: await laterTurn(context, run),
  });
  if (refusal?.status === 'conflict' || refusal?.status === 'superseded') return refusal;
  if (refusal?.status === 'closed')
    return { status: 'closed', ending: await context.reader.linked(run.id, runId, endingSeq as number) };
  for (const { requestId } of answers) {
    const receipt = await receiptFor(context, run, requestId, now);
    if (receipt !== undefined) return { status: 'refused', requestId, receipt };
  }
  for (const given of answers) await deliver(context, run, given, now);
  const opening = {
    because,
    by: by ?? undefined,
    now,
    ...(options !== null && { options: JSON.parse(options) as JsonObject }),
  };
  return { status: 'opened', segment: await openSegment(context, run, opening) };
}

interface InboxRow {
  readonly id: number;
  readonly run: number;
  readonly run_id: string;
  readonly type: 'answer' | 'cancel';
  readonly request: string | null;
  readonly at: number;
  readonly data: string;
  readonly sender: string | null;
  readonly hash: string;
}

const inboxColumns = 'i.id, i.run, r.run_id, i.type, i.request, i.at, i.data, i.sender, i.hash';
const fromInbox = `SELECT ${inboxColumns} FROM @inbox i JOIN @runs r ON r.id = i.run`;

/** The messages of runs that no entry has consumed yet, oldest first. */
export async function readUnconsumed(context: Context, runs: readonly number[]): Promise<readonly InboxRow[]> {
  return context.sql.rows<InboxRow>(`${fromInbox} WHERE i.run = ANY($1::bigint[]) AND NOT i.consumed ORDER BY i.id`, [
    runs,
  ]);
}

/**
 * The messages for the runs that an owner has by now. Ids are given out before they are committed, so that a later one may be
 * seen first: everything that no entry has consumed is read, and who has it already ignores it.
 */
export async function messages(context: Context, { ownerId }: InputOf<'messages'>): Promise<OutputOf<'messages'>> {
  const rows = await context.sql.rows<InboxRow>(`${fromInbox} WHERE NOT i.consumed AND r.owner = $1 ORDER BY i.id`, [
    ownerId,
  ]);
  return { messages: rows.filter(fitsHash).map((row) => toMessage(context, row)), last: 0 };
}

/** Closes a request whose deadline has passed, in one transaction with the look for an answer that arrived in time. */
export async function expire(context: Context, { claim, requestId }: InputOf<'expire'>): Promise<OutputOf<'expire'>> {
  if (!(await isCurrent(context, claim))) return 'fenced';
  const request = await readRequest(context, claim.run, requestId);
  const row = await context.sql.row<InboxRow>(
    `${fromInbox} WHERE i.run = $1 AND i.request = $2 AND i.type = 'answer' AND NOT i.consumed`,
    [claim.run, requestId],
  );
  if (row !== undefined && expireRequest({ request, answeredAt: row.at }) === 'answered')
    return toMessage(context, row);
  if (request?.state === 'open') await storeRequest(context, claim.run, { id: requestId, to: 'expired' });
  return 'expired';
}

function fitsHash({ type, request, sender, at, data, hash }: InboxRow): boolean {
  return hash === hashOfRow([type, request, sender, at], data);
}

export function toMessage({ codec }: Context, row: InboxRow): StoredMessage {
  const { id, run_id: runId, type, request, at, data } = row;
  if (!fitsHash(row)) throw damagedRows(`a message to ${runId} is not what was sent`);
  const text = codec.decode(data);
  const place = { table: 'inbox', runId };
  const content = type === 'cancel' ? readStoredCancel(place, text) : readStoredAnswer(place, request ?? '', text);
  return { id, runId, type, request, at, data: JSON.stringify(content) };
}
