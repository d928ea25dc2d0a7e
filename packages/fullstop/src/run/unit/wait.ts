import type { OnExpiry, OpenRequest, ReceivedAnswer, RunRequest } from '../../engines/port/request.js';
import { terminations } from '../../termination/terminations.js';
import { checkRequest } from '../check-operation.js';
import { checkDeadline, instantOf } from '../ending/pause.js';
import { confirmationId, operationId, requestKey } from '../journal/operation-key.js';
import { isWithin } from '../journal/scope-path.js';
import { lastOf, type Slot } from '../replay/replay.js';
import type { StepOptions } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import { replayInstead } from '../segment/replay-instead.js';
import { endUnit } from './end-unit.js';
import { normalise } from './normalise.js';
import type { AnswerMessage, Asking, RequestPlace, WaitingRequest } from './open-requests.js';
import type { Seen } from './step-call.js';
import { batchStoppedError } from './stopping.js';
import type { Unit } from './unit.js';
import { waitForever } from './wait-forever.js';

/** Returns the journalled answer to a request, or asks and waits for it. */
export async function wait(
  execution: Execution,
  unit: Unit,
  { request, seen }: { readonly request: RunRequest; readonly seen: Seen | undefined },
): Promise<ReceivedAnswer> {
  checkRequest(request);
  const { state, journal, requests, settings } = execution;
  const asking: Asking = { unit, ordinal: unit.nextOrdinal++, key: requestKey(request.id), seen };
  const slot = journal.slot(unit.scope, asking.ordinal, asking.key);
  if (state.isOverFor(unit)) return waitForever();
  requests.refuseSameId(request.id, operationId({ scope: unit.scope, ordinal: asking.ordinal }));
  checkDeadline(request.id, request.deadline);
  checkDeadline(request.id, request.escalation?.deadline);
  const first = slot?.entries.find((entry) => entry.type === 'request_opened');
  if (first !== undefined) unit.see(first.at);
  const answered = lastOf(slot, 'request_answered');
  if (answered !== undefined) {
    await execution.delivery.reserve(answered.seq)();
    if (state.isOverFor(unit)) return waitForever();
    unit.see(answered.at);
    seen?.(answered.seq, unit.now);
    return answered.data.answer;
  }
  const refusal = state.refusalFor(unit);
  if (refusal !== undefined) throw refusal;
  // The machine of the run has withdrawn it itself, and does so again: nobody is asked in between.
  if (unit === execution.root && lastOf(slot, 'request_withdrawn') !== undefined) return waitForever();
  const opened = lastOf(slot, 'request_opened')?.data.request;
  const deadline = settings.deadlineOf(request.id);
  const isUnchanged = deadline === undefined || deadline === opened?.deadline;
  if (opened !== undefined && isStillOpen(slot) && isUnchanged) return waitForAnswer(execution, asking, opened);
  const asked = { ...(opened ?? request), ...(deadline !== undefined && { deadline }) };
  return waitForAnswer(execution, asking, await openRequest(execution, asking, { request: asked, isSeen: true }));
}

/** Asks what became of a once-step whose outcome was lost. */
export async function confirm(
  execution: Execution,
  asking: Asking,
  about: NonNullable<StepOptions['about']>,
): Promise<ReceivedAnswer> {
  const { unit, ordinal, key, stopping } = asking;
  const slot = execution.journal.replay.slot(unit.scope, ordinal);
  const answered = lastOf(slot, 'request_answered');
  if (answered !== undefined) return answered.data.answer;
  const opened = lastOf(slot, 'request_opened')?.data.request;
  if (stopping?.stopped === true) {
    if (opened !== undefined && isStillOpen(slot)) withdraw(execution, { scope: unit.scope, ordinal, key }, opened.id);
    throw batchStoppedError(key);
  }
  if (opened !== undefined && isStillOpen(slot)) return waitForAnswer(execution, asking, opened);
  const id = confirmationId({ scope: unit.scope, ordinal, key });
  const summary = `Did ${about.tool} happen? Its outcome was lost, and it must not be done twice. Approve if it did (with its result as the value), deny if it did not.`;
  const request: RunRequest = { id, type: 'confirm_outcome', ...about, summary };
  return waitForAnswer(execution, asking, await openRequest(execution, asking, { request, isSeen: false }));
}

function isStillOpen(slot: Slot | undefined): boolean {
  const opened = lastOf(slot, 'request_opened');
  return opened !== undefined && opened.seq > (lastOf(slot, 'request_withdrawn')?.seq ?? 0);
}

interface Opening {
  readonly request: RunRequest;
  /** True when the unit that asks sees the time of the question. */
  readonly isSeen: boolean;
}

/** Journals a request: visible and answerable at once, while other steps are under way. */
async function openRequest(execution: Execution, asking: Asking, { request, isSeen }: Opening): Promise<OpenRequest> {
  const { journal, rest, requests, engine } = execution;
  const { unit, ordinal, key } = asking;
  const plain = journal.seal(normalise(request)) as unknown as RunRequest;
  const open: OpenRequest = { ...plain, path: unit.scope, openedAt: engine.clock.now() };
  const place = { scope: unit.scope, ordinal, key } as const;
  rest.begin(unit);
  const at = journal.append<'request_opened'>({ type: 'request_opened', ...place, data: { request: open } });
  if (isSeen) unit.see(at);
  // The unit may end while its question is being written.
  requests.unasked.set(open.id, { ...place, seq: journal.lastSeq });
  const isKept = await journal.commit();
  rest.done(unit);
  return isKept ? open : waitForever();
}

/** Waits for the answer to a request that is in the journal. */
function waitForAnswer(execution: Execution, asking: Asking, request: OpenRequest): Promise<ReceivedAnswer> {
  const { state, requests, engine, rest } = execution;
  const { unit } = asking;
  if (state.isOverFor(unit)) return waitForever();
  return new Promise((resolve, reject) => {
    const { deadline } = request;
    const stops: (() => void)[] = [];
    const stop = (): void => {
      for (const each of stops) each();
    };
    const seq = requests.unasked.get(request.id)?.seq ?? 0;
    const waiting: WaitingRequest = { ...asking, request, seq, resolve, reject, stop };
    requests.add(waiting);
    const hasPassed = deadline !== undefined && engine.clock.now() >= deadline;
    if (deadline !== undefined && !hasPassed)
      stops.push(engine.clock.callAt(deadline, () => void expire(execution, waiting, deadline)));
    stops.push(...listenForEnd(execution, waiting));
    const early = requests.early.get(request.id);
    if (early !== undefined) receiveAnswer(execution, early);
    // Applied at once: a run must not pause for what nobody can answer any more.
    if (hasPassed) void expire(execution, waiting, deadline);
    if (requests.find(request.id) !== undefined) for (const permit of unit.permits) permit.giveBack();
    rest.check();
  });
}

/** A unit that has ended asks nothing any more, nor does a batch that has stopped; one that is cancelled is notified. */
function listenForEnd(execution: Execution, waiting: WaitingRequest): readonly (() => void)[] {
  const { unit, stopping } = waiting;
  const ended = unit.whenAborted(() => giveUp(execution, waiting));
  return stopping === undefined ? [ended] : [ended, stopping.whenStopped(() => stopAsking(execution, waiting))];
}

/** Takes an answer from the inbox: journals it and hands it over, or keeps it until its request is asked. */
export function receiveAnswer(execution: Execution, message: AnswerMessage): void {
  const { requestId, at, answer } = message;
  const waiting = execution.requests.find(requestId);
  if (waiting === undefined) {
    execution.requests.early.set(requestId, message);
    return;
  }
  const { deadline } = waiting.request;
  if (deadline !== undefined && at >= deadline) void expire(execution, waiting, deadline);
  else void applyAnswer(execution, waiting, { ...answer, requestId, at });
}

async function applyAnswer(execution: Execution, waiting: WaitingRequest, received: ReceivedAnswer): Promise<void> {
  const { state, journal, delivery, rest, requests } = execution;
  if (!requests.remove(waiting)) return;
  const answer = journal.seal(received);
  const { unit, ordinal, key } = waiting;
  const place = { scope: unit.scope, ordinal, key, at: answer.at } as const;
  rest.begin(unit);
  const at = journal.append<'request_answered'>({ type: 'request_answered', ...place, data: { answer } });
  const { lastSeq } = journal;
  waiting.seen?.(lastSeq, at);
  const turn = delivery.reserve(lastSeq);
  if ((await journal.commit()) && !(await replayInstead(execution, 1))) {
    await turn();
    for (const permit of unit.permits) await permit.take();
    unit.see(at);
    // It is dated when it was given, but counts from when the unit has it.
    waiting.seen?.(lastSeq, unit.now);
    if (!state.closed) waiting.resolve(answer);
  }
  rest.done(unit);
}

/** Applies a deadline that has passed, dated at the deadline however late it is noticed. */
async function expire(execution: Execution, waiting: WaitingRequest, deadline: number): Promise<void> {
  const { journal, requests, state } = execution;
  const { request, unit, ordinal, key } = waiting;
  if (!requests.isOpen(waiting) || state.closed) return;
  if (!(await isUnanswered(execution, waiting))) return;
  const onExpiry: OnExpiry = request.onExpiry ?? 'end';
  const place = { scope: unit.scope, ordinal, key, at: deadline } as const;
  const data = { requestId: request.id, deadline, onExpiry };
  journal.append<'request_expired'>({ type: 'request_expired', ...place, data });
  if (onExpiry === 'approve' || onExpiry === 'reject') {
    const decision = onExpiry === 'approve' ? 'approve' : 'deny';
    const reason = 'nobody answered in time';
    await applyAnswer(execution, waiting, { requestId: request.id, decision, at: deadline, expired: true, reason });
    return;
  }
  requests.remove(waiting);
  if (onExpiry === 'escalate' && request.escalation !== undefined)
    await escalate(execution, waiting, request.escalation);
  else endUnit(unit, terminations.gateExpired({ gateId: request.id, deadline: instantOf(deadline) }));
}

/** False when an answer came in time after all that the engine had not delivered yet, or when nobody waits any more. */
async function isUnanswered(execution: Execution, waiting: WaitingRequest): Promise<boolean> {
  const { session, rest, requests, state } = execution;
  if (session.expire === undefined) return true;
  rest.begin(waiting.unit);
  try {
    if (!(await session.expire(waiting.request.id))) return false;
  } catch (error) {
    state.fail(error);
  } finally {
    rest.done(waiting.unit);
  }
  return requests.isOpen(waiting) && !state.closed;
}

/** Asks the same question again, of someone else and with a new deadline, which ends the unit when it passes too. */
async function escalate(
  execution: Execution,
  waiting: WaitingRequest,
  escalation: NonNullable<RunRequest['escalation']>,
): Promise<void> {
  const { deadline: _deadline, escalation: _escalation, path: _path, openedAt: _openedAt, ...rest } = waiting.request;
  const request: RunRequest = {
    ...rest,
    summary: `${rest.summary ?? rest.id} (escalated to ${escalation.to})`,
    onExpiry: 'end',
    ...(rest.answerers !== undefined && { answerers: [...rest.answerers, escalation.to] }),
    ...(escalation.deadline !== undefined && { deadline: escalation.deadline }),
  };
  const open = await openRequest(execution, waiting, { request, isSeen: false });
  waitForAnswer(execution, waiting, open).then(waiting.resolve, waiting.reject);
}

function giveUp(execution: Execution, waiting: WaitingRequest): void {
  const { requests, state, root, rest } = execution;
  if (!requests.remove(waiting)) return;
  const { unit, ordinal, key, request } = waiting;
  const refusal = state.refusalFor(unit);
  if (refusal !== undefined) waiting.reject(refusal);
  // A question of a unit that has ended is withdrawn, unless the whole run has.
  else if (!state.closed && !root.ended) withdraw(execution, { scope: unit.scope, ordinal, key }, request.id);
  rest.check();
}

/** Withdraws a request that the machine which asked it no longer needs. */
export function withdrawRequest(execution: Execution, requestId: string): void {
  const waiting = execution.requests.find(requestId);
  if (waiting !== undefined) giveUp(execution, waiting);
}

/** Nobody needs the answer for now: whoever resumes the batch is asked again. */
function stopAsking(execution: Execution, waiting: WaitingRequest): void {
  if (execution.state.closed || !execution.requests.remove(waiting)) return;
  const { unit, ordinal, key, request } = waiting;
  withdraw(execution, { scope: unit.scope, ordinal, key }, request.id);
  waiting.reject(batchStoppedError(key));
}

/** Withdraws what is open in the journal for a unit that has ended. */
export function withdrawRequestsInside(execution: Execution, scope: string): void {
  const { unasked } = execution.requests;
  if (unasked.size === 0 || execution.state.closed) return;
  for (const [requestId, place] of unasked) {
    if (!isWithin(place.scope, scope)) continue;
    withdraw(execution, place, requestId);
  }
}

function withdraw(
  { journal, requests }: Execution,
  { scope, ordinal, key }: Omit<RequestPlace, 'seq'>,
  requestId: string,
): void {
  const place = { scope, ordinal, key } as const;
  requests.unasked.delete(requestId);
  journal.append<'request_withdrawn'>({ type: 'request_withdrawn', ...place, data: { requestId } });
}
