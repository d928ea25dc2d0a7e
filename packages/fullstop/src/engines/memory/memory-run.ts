import type { JsonObject, JsonValue } from '../../termination/json.js';
import { checkAnswerTo } from '../port/check-answer.js';
import type { Clock } from '../port/clock.js';
import type {
  AbortSignalLike,
  OutboxItem,
  ReopenReceipt,
  ReopenRequest,
  RunIdentity,
  RunSession,
  RunState,
  RunSummary,
  StartRequest,
} from '../port/engine.js';
import type { Envelope } from '../port/envelope.js';
import type { CancelRequest, EntryDraft, JournalEntry } from '../port/journal-entry.js';
import type { AnswerReceipt, OpenRequest, RequestAnswer } from '../port/request.js';
import { refuseAnswer } from '../rules/answer-receipt.js';
import { receiveCancel } from '../rules/cancel-receipt.js';
import { summarizeEnding } from '../rules/ending-facts.js';
import { readEffect } from '../rules/entry-effect.js';
import { draftOpening, draftStart, readStart } from '../rules/frame-entries.js';
import { settleSchedule } from '../rules/notices.js';
import { refuseReopening } from '../rules/reopen-receipt.js';
import { findWaking, isReady, shownState, type Waking, type WakingFacts } from '../rules/waking.js';
import { MemoryInbox } from './memory-inbox.js';

/** Who executes runs that become ready. */
export interface Workers {
  onReady(): void;
  any(): boolean;
}

/** One run in memory: its journal, its inbox and who waits for it. */
export class MemoryRun {
  readonly identity: RunIdentity;
  readonly input: JsonValue | undefined;
  readonly entries: JournalEntry[] = [];
  outbox: readonly OutboxItem[] = [];
  state: RunState = 'ready';
  segment = 1;
  wakeAt: number | undefined;
  /** The ending of the latest segment. */
  ending: Envelope | undefined;
  readonly #options: JsonObject | undefined;
  readonly #clock: Clock;
  readonly #workers: Workers;
  readonly #startedAt: number;
  readonly #inbox = new MemoryInbox();
  readonly #waiters = new Set<() => void>();
  #stopAlarm: () => void = () => undefined;
  #updatedAt: number;
  #openedBy: string | undefined;

  constructor(request: StartRequest, clock: Clock, workers: Workers, journal?: readonly JournalEntry[]) {
    const { runId, name, version, parent, conversation, input, options } = request;
    this.identity = {
      runId,
      name,
      version,
      ...(parent !== undefined && { parent }),
      ...(conversation !== undefined && { conversation }),
    };
    this.input = input;
    this.#options = options;
    this.#clock = clock;
    this.#workers = workers;
    this.#startedAt = journal?.[0]?.at ?? clock.now();
    this.#updatedAt = this.#startedAt;
    if (journal === undefined) this.#append(draftStart(request, this.#startedAt));
    for (const entry of journal ?? []) this.#adopt(entry);
  }

  /** Rebuilds a run from its journal. */
  static from(entries: readonly JournalEntry[], clock: Clock, workers: Workers): MemoryRun {
    const run = new MemoryRun(readStart(entries), clock, workers, entries);
    run.setAlarm();
    return run;
  }

  #adopt(entry: JournalEntry): void {
    this.segment = entry.segment;
    this.entries.push(entry);
    this.#follow(entry);
  }

  /** Puts off the notices that somebody sends now. */
  leaseNotices(ids: ReadonlySet<string>, dueAt: number): void {
    if (this.outbox.some(({ id }) => ids.has(id)))
      this.outbox = this.outbox.map((item) => (ids.has(item.id) ? { ...item, dueAt } : item));
  }

  settleNotice(id: string, retryAt: number | undefined, leasedUntil: number | undefined): void {
    this.outbox = this.outbox.flatMap((item) => {
      if (item.id !== id) return [item];
      const schedule = settleSchedule(item, retryAt, leasedUntil);
      return schedule === undefined ? [] : [{ ...item, ...schedule }];
    });
  }

  get openRequests(): readonly OpenRequest[] {
    return this.#inbox.openRequests;
  }

  get summary(): RunSummary {
    return {
      ...this.identity,
      state: shownState(this.#wakingFacts),
      segment: this.segment,
      startedAt: this.#startedAt,
      updatedAt: this.#updatedAt,
      ...(this.ending !== undefined && summarizeEnding(this.ending)),
    };
  }

  /** Opens the segment after an ending; of two callers that saw the same ending one wins. */
  reopen(request: ReopenRequest, laterTurn?: string): ReopenReceipt {
    const { ending, segment } = this;
    const refusal = refuseReopening({ after: request.after, segment, openedBy: this.#openedBy, ending, laterTurn });
    if (refusal?.status === 'closed') return { ...refusal, envelope: ending as Envelope };
    if (refusal !== undefined) return refusal;
    const answers = Object.entries(request.answers ?? {});
    for (const [requestId, answer] of answers) {
      const receipt = this.#refuseAnswer(requestId);
      if (receipt !== undefined) return { status: 'refused', requestId, receipt };
      this.#checkFit(requestId, answer);
    }
    const at = this.#clock.now();
    for (const [requestId, answer] of answers) this.#inbox.send({ type: 'answer', requestId, answer, at });
    this.#openSegment(request);
    return { status: 'opened', segment: this.segment };
  }

  #openSegment({
    because,
    by,
    options,
  }: Pick<ReopenRequest, 'because' | 'options'> & { by?: string | undefined }): void {
    const from = this.segment;
    this.segment += 1;
    const times = { now: this.#clock.now(), lastAt: this.entries.at(-1)?.at ?? 0 };
    this.#append(draftOpening({ from, because, by, ...(options !== undefined && { options }), ...times }));
    this.#becomeReady();
  }

  get #wakingFacts(): WakingFacts {
    const { state, wakeAt, ending } = this;
    return { state, wakeAt, hasEnding: ending !== undefined, now: this.#clock.now() };
  }

  /** Hands the run to whoever asks first. */
  claim(): RunSession | undefined {
    if (this.state === 'parked') this.#wake(findWaking(this.#wakingFacts, this.#inbox.all));
    if (this.state !== 'ready') return undefined;
    this.state = 'running';
    this.#stopAlarm();
    this.#inbox.beginSession();
    return this.#session();
  }

  answer(requestId: string, answer: RequestAnswer): AnswerReceipt {
    const refused = this.#refuseAnswer(requestId);
    if (refused !== undefined) {
      // Whoever is told that the deadline has passed may count on its being applied.
      if (refused.status === 'expired') this.#wake(findWaking(this.#wakingFacts, []));
      return refused;
    }
    this.#checkFit(requestId, answer);
    const at = this.#clock.now();
    const sent = this.#inbox.send({ type: 'answer', requestId, answer, at });
    this.#wake(findWaking(this.#wakingFacts, [sent]));
    return { status: 'delivered', at };
  }

  #refuseAnswer(requestId: string): AnswerReceipt | undefined {
    const closed = this.ending?.open === false;
    return refuseAnswer({ ...this.#inbox.answerFacts(requestId), closed, now: this.#clock.now() });
  }

  #checkFit(requestId: string, answer: RequestAnswer): void {
    const request = this.#inbox.request(requestId);
    if (request !== undefined) checkAnswerTo(request, answer);
  }

  cancel(request: CancelRequest): 'requested' | 'ended' | 'unknown' {
    const receipt = receiveCancel(this.state);
    if (receipt !== 'requested') return receipt;
    const sent = this.#inbox.send({ type: 'cancel', request, at: this.#clock.now() });
    this.#wake(findWaking(this.#wakingFacts, [sent]));
    return receipt;
  }

  #wake(waking: Waking | undefined): void {
    if (waking === undefined) return;
    if (waking.opensSegment) this.#openSegment(waking);
    else this.#becomeReady();
  }

  #becomeReady(): void {
    this.state = 'ready';
    this.#stopAlarm();
    this.#workers.onReady();
    this.#notify();
  }

  waitForEnding(segment: number, signal?: AbortSignalLike): Promise<Envelope> {
    return this.#until(
      () => (this.ending !== undefined && this.ending.segment >= segment ? this.ending : undefined),
      signal,
    );
  }

  async waitUntilReady(): Promise<void> {
    await this.#until(() => isReady(this.#wakingFacts) || undefined);
  }

  #until<T>(read: () => T | undefined, signal?: AbortSignalLike): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiters.delete(look);
        this.setAlarm();
        signal?.removeEventListener('abort', abort);
      };
      const look = (): void => {
        const value = read();
        if (value === undefined) return;
        stop();
        resolve(value);
      };
      const abort = (): void => {
        stop();
        reject(signal?.reason);
      };
      this.#waiters.add(look);
      this.setAlarm();
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted === true) abort();
      else look();
    });
  }

  /** Wakes a parked run at its time, but only while someone would notice: an alarm keeps the process alive. */
  setAlarm(): void {
    this.#stopAlarm();
    const watched = this.#waiters.size > 0 || this.#workers.any();
    if (this.state !== 'parked' || this.wakeAt === undefined || !watched) return;
    this.#stopAlarm = this.#clock.callAt(this.wakeAt, () => this.#wake(findWaking(this.#wakingFacts, [])));
  }

  #notify(): void {
    for (const waiter of [...this.#waiters]) waiter();
  }

  #session(): RunSession {
    const { identity, segment, input } = this;
    return {
      identity,
      segment,
      input,
      options: this.#options,
      recoveries: 0,
      history: [...this.entries],
      append: (draft) => this.#append(draft),
      flush: () => undefined,
      conclude: async (draft, outbox) => {
        this.#append(draft);
        this.outbox = [...this.outbox, ...outbox];
        this.#release();
        return {};
      },
      park: async (wakeAt) => {
        this.state = 'parked';
        this.wakeAt = wakeAt;
        this.#release();
      },
      listen: (listener) => this.#inbox.listen(listener),
      onFenced: () => () => undefined,
    };
  }

  #append(draft: EntryDraft): void {
    const { runId } = this.identity;
    const { type, scope, ordinal, key, at, data } = draft;
    const seq = this.entries.length + 1;
    this.entries.push({ runId, segment: this.segment, seq, scope, ordinal, at, type, key, data } as JournalEntry);
    // Most entries are of steps and of what was observed, and lengthen the journal only.
    if (type === 'step_ended' || type === 'observed') this.#updatedAt = at;
    else this.#follow(draft);
  }

  /** Applies the changes that an entry makes besides lengthening the journal. */
  #follow(draft: EntryDraft): void {
    this.#updatedAt = draft.at;
    const effect = readEffect(draft);
    if (effect === undefined) return;
    this.#inbox.apply(effect, draft.type === 'request_opened' ? draft.data.request : undefined);
    if (effect.segment?.to === 'opened') {
      this.state = 'ready';
      this.ending = undefined;
      this.#openedBy = effect.segment.by;
    } else if (effect.segment?.to === 'ended' && draft.type === 'segment_ended') {
      this.state = effect.segment.ending.state;
      this.wakeAt = effect.segment.ending.wakeAt;
      this.ending = { ...draft.data.envelope, persisted: true };
    }
  }

  /** The owner is done. A message that arrived meanwhile must not be left lying. */
  #release(): void {
    this.#inbox.endSession();
    this.setAlarm();
    if (this.state === 'parked')
      this.#wake(findWaking({ ...this.#wakingFacts, wakeAt: undefined }, this.#inbox.waiting));
    this.#notify();
  }
}
