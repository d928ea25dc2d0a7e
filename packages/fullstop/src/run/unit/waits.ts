import type { InboxMessage } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { OnExpiry, OpenRequest, ReceivedAnswer, Request } from '../../engines/port/request.js';
import { FullstopError } from '../../termination/fullstop-error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import { checkRequest } from '../check-operation.js';
import { checkDeadline, instantOf } from '../ending/pause.js';
import { confirmationId, operationId, requestKey } from '../journal/operation-key.js';
import { isWithin } from '../journal/scope-path.js';
import { lastOf } from '../replay/replay.js';
import type { StepOptions } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import { never } from './never.js';
import { normalise } from './normalise.js';
import type { Seen } from './step-call.js';
import type { Unit } from './unit.js';

/** The operation that asks. */
interface Asking {
  readonly key: string;
  readonly unit: Unit;
  readonly ordinal: number;
  /** Told where in the journal the answer stands. */
  readonly seen?: Seen | undefined;
}

interface Wait extends Asking {
  readonly request: OpenRequest;
  /** Where the question stands in the journal. */
  readonly seq: number;
  resolve(answer: ReceivedAnswer): void;
  reject(error: unknown): void;
  /** Stops its timer and lets go of its unit. */
  stop(): void;
}

interface OpenInJournal {
  readonly scope: string;
  readonly ordinal: number;
  readonly key: string | undefined;
  readonly seq: number;
}

function openInJournal(history: readonly JournalEntry[]): Map<string, OpenInJournal> {
  const open = new Map<string, OpenInJournal>();
  for (const entry of history) {
    const { type, scope, ordinal, key, seq, data } = entry;
    if (type === 'request_opened') open.set(data.request.id, { scope, ordinal, key, seq });
    else if (type === 'request_answered') open.delete(data.answer.requestId);
    else if (type === 'request_withdrawn') open.delete(data.requestId);
  }
  return open;
}

/** The requests of a run that nobody has answered yet. */
export class Waits {
  /** What would end the run if nothing were open: what lost against the requests when it pauses. */
  causes: readonly AnyTermination[] = [];
  readonly #execution: Execution;
  readonly #open = new Map<string, Wait>();
  /** Answers that came before their request was asked again by the replayed body. */
  readonly #early = new Map<string, Extract<InboxMessage, { type: 'answer' }>>();
  readonly #places = new Map<string, string>();

  /** Requests that stand open in the journal and that nobody waits for yet: the body has still to come to them. */
  readonly #unasked: Map<string, OpenInJournal>;

  constructor(execution: Execution, history: readonly JournalEntry[]) {
    this.#execution = execution;
    this.#unasked = openInJournal(history);
  }

  get size(): number {
    return this.#open.size;
  }

  /** The open requests in the order in which they were opened, which a replayed body need not come to them in. */
  get requests(): readonly OpenRequest[] {
    return [...this.#open.values()].sort((left, right) => left.seq - right.seq).map((wait) => wait.request);
  }

  get deadlines(): readonly number[] {
    return this.requests.flatMap(({ deadline }) => (deadline === undefined ? [] : [deadline]));
  }

  async wait(unit: Unit, request: Request, seen?: Seen): Promise<ReceivedAnswer> {
    checkRequest(request);
    const execution = this.#execution;
    const asking: Asking = { unit, ordinal: unit.nextOrdinal++, key: requestKey(request.id), seen };
    const slot = execution.slot(unit, asking.ordinal, asking.key);
    if (!unit.active || execution.closed) return never();
    this.#refuseSameId(request.id, operationId({ scope: unit.scope, ordinal: asking.ordinal }));
    checkDeadline(request.id, request.deadline);
    checkDeadline(request.id, request.escalation?.deadline);
    const first = slot?.entries.find((entry) => entry.type === 'request_opened');
    if (first !== undefined) unit.see(first.at);
    const answered = lastOf(slot, 'request_answered');
    if (answered !== undefined) {
      await execution.delivery.reserve(answered.seq)();
      if (!unit.active || execution.closed) return never();
      unit.see(answered.at);
      seen?.(answered.seq, unit.now);
      return answered.data.answer;
    }
    const refusal = execution.refusal(unit);
    if (refusal !== undefined) throw refusal;
    const opened = lastOf(slot, 'request_opened');
    const stands = opened !== undefined && opened.seq > (lastOf(slot, 'request_withdrawn')?.seq ?? 0);
    const deadline = execution.settings.deadlineOf(request.id);
    if (stands && (deadline === undefined || deadline === opened.data.request.deadline)) {
      return this.#register(asking, opened.data.request);
    }
    const asked = { ...(opened?.data.request ?? request), ...(deadline !== undefined && { deadline }) };
    return this.#register(asking, await this.#openNew(asking, asked, (at) => unit.see(at)));
  }

  /** Asks what became of a once-step whose outcome was lost. */
  async confirm(asking: Asking, about: NonNullable<StepOptions['about']>): Promise<ReceivedAnswer> {
    const { unit, ordinal, key } = asking;
    const id = confirmationId({ scope: unit.scope, ordinal, key });
    const slot = this.#execution.replay.slot(unit.scope, ordinal);
    const answered = lastOf(slot, 'request_answered');
    if (answered !== undefined) return answered.data.answer;
    const summary = `Did ${about.tool} happen? Its outcome was lost, and it must not be done twice. Approve if it did (with its result as the value), deny if it did not.`;
    const request: Request = { id, type: 'confirm_outcome', ...about, summary };
    const opened = lastOf(slot, 'request_opened');
    const stands = opened !== undefined && opened.seq > (lastOf(slot, 'request_withdrawn')?.seq ?? 0);
    return this.#register(asking, stands ? opened.data.request : await this.#openNew(asking, request));
  }

  /** Answers find their request by its id, so two of the same id could never both be answered. */
  #refuseSameId(id: string, place: string): void {
    const other = this.#places.get(id);
    this.#places.set(id, place);
    if (other === undefined || other === place) return;
    throw new FullstopError(
      'INVALID_OPTION',
      `The run asks twice under the id ${JSON.stringify(id)}; every request needs an id of its own.`,
    );
  }

  /** Waits for a request that stands in the journal. */
  #register(asking: Asking, request: OpenRequest): Promise<ReceivedAnswer> {
    const execution = this.#execution;
    if (execution.closed || !asking.unit.active) return never();
    return new Promise((resolve, reject) => {
      const { deadline } = request;
      const stops: (() => void)[] = [];
      const seq = this.#unasked.get(request.id)?.seq ?? 0;
      const wait: Wait = { ...asking, request, seq, resolve, reject, stop: () => stops.map((stop) => stop()) };
      this.#open.set(request.id, wait);
      this.#unasked.delete(request.id);
      asking.unit.ask(1);
      const passed = deadline !== undefined && execution.engine.clock.now() >= deadline;
      if (deadline !== undefined && !passed) {
        stops.push(execution.engine.clock.callAt(deadline, () => void this.#expire(wait, deadline)));
      }
      // A unit that has ended asks nothing any more; one that is cancelled is told so.
      stops.push(asking.unit.whenAborted(() => this.#giveUp(wait)));
      const early = this.#early.get(request.id);
      if (early !== undefined) this.receive(early);
      // Applied at once: a run must not pause for what nobody can answer any more.
      if (passed) void this.#expire(wait, deadline);
      if (this.#open.has(request.id)) for (const permit of asking.unit.permits) permit.giveBack();
      execution.checkRest();
    });
  }

  /** Takes back what stands open in the journal for a unit that has ended. */
  withdrawInside(scope: string): void {
    if (this.#unasked.size === 0 || this.#execution.closed) return;
    for (const [requestId, place] of this.#unasked) {
      if (!isWithin(place.scope, scope)) continue;
      this.#unasked.delete(requestId);
      this.#withdraw(place, requestId);
    }
  }

  /** Takes back a question of a unit that has ended, unless the whole run has. */
  #takeBack({ unit, ordinal, key }: Asking, requestId: string): void {
    const { closed, root } = this.#execution;
    if (!closed && !root.ended) this.#withdraw({ scope: unit.scope, ordinal, key }, requestId);
  }

  #withdraw({ scope, ordinal, key }: Omit<OpenInJournal, 'seq'>, requestId: string): void {
    const place = { scope, ordinal, key } as const;
    this.#execution.append<'request_withdrawn'>({ type: 'request_withdrawn', ...place, data: { requestId } });
  }

  #giveUp(wait: Wait): void {
    if (!this.#take(wait)) return;
    const refusal = this.#execution.refusal(wait.unit);
    if (refusal !== undefined) wait.reject(refusal);
    else this.#takeBack(wait, wait.request.id);
    this.#execution.checkRest();
  }

  /** Removes a wait; false when that was done already. */
  #take(wait: Wait): boolean {
    if (this.#open.get(wait.request.id) !== wait) return false;
    this.#open.delete(wait.request.id);
    wait.unit.ask(-1);
    wait.stop();
    return true;
  }

  /** Writes a request: visible and answerable at once, while other steps go on. */
  async #openNew(asking: Asking, request: Request, onWritten?: (at: number) => void): Promise<OpenRequest> {
    const execution = this.#execution;
    const { unit, ordinal, key } = asking;
    const plain = execution.seal(normalise(request)) as unknown as Request;
    const open: OpenRequest = { ...plain, path: unit.scope, openedAt: execution.engine.clock.now() };
    const place = { scope: unit.scope, ordinal, key } as const;
    execution.begin(unit);
    const at = execution.append<'request_opened'>({ type: 'request_opened', ...place, data: { request: open } });
    onWritten?.(at);
    // The unit may end while its question is being written.
    this.#unasked.set(open.id, { ...place, seq: execution.lastSeq });
    const going = await execution.commit();
    execution.done(unit);
    return going ? open : never();
  }

  receive(message: Extract<InboxMessage, { type: 'answer' }>): void {
    const wait = this.#open.get(message.requestId);
    if (wait === undefined) {
      this.#early.set(message.requestId, message);
      return;
    }
    const { deadline } = wait.request;
    if (deadline !== undefined && message.at >= deadline) void this.#expire(wait, deadline);
    else void this.#close(wait, { ...message.answer, requestId: message.requestId, at: message.at });
  }

  async #close(wait: Wait, received: ReceivedAnswer): Promise<void> {
    if (!this.#take(wait)) return;
    const execution = this.#execution;
    const answer = execution.seal(received);
    const { unit, ordinal, key } = wait;
    const place = { scope: unit.scope, ordinal, key, at: answer.at } as const;
    execution.begin(unit);
    const at = execution.append<'request_answered'>({ type: 'request_answered', ...place, data: { answer } });
    const { lastSeq } = execution;
    wait.seen?.(lastSeq, at);
    const turn = execution.delivery.reserve(lastSeq);
    if ((await execution.commit()) && !(await execution.replaysInstead(1))) {
      await turn();
      for (const permit of unit.permits) await permit.take();
      unit.see(at);
      // It is dated when it was given, but counts from when the unit has it.
      wait.seen?.(lastSeq, unit.now);
      if (!execution.closed) wait.resolve(answer);
    }
    execution.done(unit);
  }

  /** Applies a deadline that has passed, dated at the deadline however late it is noticed. */
  async #expire(wait: Wait, deadline: number): Promise<void> {
    const { request, unit, ordinal, key } = wait;
    if (this.#open.get(request.id) !== wait || this.#execution.closed) return;
    if (!(await this.#nobodyAnswered(wait))) return;
    const onExpiry: OnExpiry = request.onExpiry ?? 'end';
    const place = { scope: unit.scope, ordinal, key, at: deadline } as const;
    const data = { requestId: request.id, deadline, onExpiry };
    this.#execution.append<'request_expired'>({ type: 'request_expired', ...place, data });
    if (onExpiry === 'approve' || onExpiry === 'reject') {
      const decision = onExpiry === 'approve' ? 'approve' : 'deny';
      const reason = 'nobody answered in time';
      await this.#close(wait, { requestId: request.id, decision, at: deadline, expired: true, reason });
      return;
    }
    this.#take(wait);
    if (onExpiry === 'escalate' && request.escalation !== undefined) await this.#escalate(wait, request.escalation);
    else this.#execution.endUnit(unit, terminations.gateExpired({ gateId: request.id, deadline: instantOf(deadline) }));
  }

  /** False when an answer came in time after all, of which the engine had not told yet, or when the wait is over. */
  async #nobodyAnswered(wait: Wait): Promise<boolean> {
    const execution = this.#execution;
    const { session } = execution;
    if (session.expire === undefined) return true;
    execution.begin(wait.unit);
    try {
      if (!(await session.expire(wait.request.id))) return false;
    } catch (error) {
      execution.fail(error);
    } finally {
      execution.done(wait.unit);
    }
    return this.#open.get(wait.request.id) === wait && !execution.closed;
  }

  /** The same question again, to someone else and with a new deadline, which ends the run when it passes too. */
  async #escalate(wait: Wait, escalation: NonNullable<Request['escalation']>): Promise<void> {
    const { deadline: _deadline, escalation: _escalation, path: _path, openedAt: _openedAt, ...rest } = wait.request;
    const again: Request = {
      ...rest,
      summary: `${rest.summary ?? rest.id} (escalated to ${escalation.to})`,
      onExpiry: 'end',
      ...(rest.answerers !== undefined && { answerers: [...rest.answerers, escalation.to] }),
      ...(escalation.deadline !== undefined && { deadline: escalation.deadline }),
    };
    this.#register(wait, await this.#openNew(wait, again)).then(wait.resolve, wait.reject);
  }

  close(): void {
    for (const wait of this.#open.values()) wait.stop();
  }
}
