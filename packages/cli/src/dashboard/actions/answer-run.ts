import type { JsonValue, OpenRequest, RequestAnswer } from 'fullstop';
import { deliverAnswer } from '../../answer/deliver-answer.js';
import { makeAnswer, refuseOthers, type Said } from '../../answer/make-answer.js';
import { requestsOnTime } from '../../answer/requests-on-time.js';
import type { ActionReceipt, AnswerBody } from '../api/action-bodies.js';
import { type Acting, continueElsewhere, executionWords, runToActOn } from './acting.js';

const silent: Said = {
  approve: false,
  deny: false,
  choose: undefined,
  value: undefined,
  'value-json': undefined,
  field: [],
  note: undefined,
};

/** Delivers an answer. Of several answerers, wherever they are, the first counts, and the others are told who that was. */
export async function answerRun(acting: Acting, runId: string, body: AnswerBody): Promise<ActionReceipt> {
  const { engine } = acting;
  await runToActOn(acting, runId);
  const { requestId, by = acting.by } = body;
  const open = requestsOnTime(await engine.openRequests(runId));
  // One that is no longer open: the store knows who answered it, or when it expired.
  const request = open.find(({ id }) => id === requestId) ?? { id: requestId, type: 'input', path: '', openedAt: 0 };
  await deliverAnswer(engine, { runId, requestId, answer: answerOf(request, body, by) });
  const execution = await continueElsewhere(acting, runId);
  const message = `${requestId} was answered by ${by}; ${executionWords(execution)}.`;
  return { runId, status: 'delivered', message, execution };
}

/** The same answer as `fullstop answer` makes of its options; a page may also send any value. */
function answerOf(request: OpenRequest, body: AnswerBody, by: string): RequestAnswer {
  const { decision, choice, value, fields = {}, note } = body;
  const field = Object.entries(fields).map(([name, text]) => `${name}=${text}`);
  const said: Said = { ...silent, field, note };
  const reason = note === undefined ? {} : { reason: note };
  switch (decision) {
    case 'deny':
      return makeAnswer(request, { ...said, deny: true }, by);
    case 'choose':
      return makeAnswer(request, { ...said, choose: choice ?? '' }, by);
    case 'approve':
      if (value === undefined) return makeAnswer(request, { ...said, approve: true }, by);
      refuseOthers(request, by);
      return { decision: 'approve', value: value as JsonValue, by, ...reason };
    case 'value':
      refuseOthers(request, by);
      return { decision: 'value', ...(value !== undefined && { value: value as JsonValue }), by, ...reason };
    default:
      return decision satisfies never;
  }
}
