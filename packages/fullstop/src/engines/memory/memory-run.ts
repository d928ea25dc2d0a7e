import type { JsonObject, JsonValue } from '../../termination/json.js';
import { checkAnswer, checkAnswers, checkAnswerTo } from '../port/check-answer.js';
import type { Clock } from '../port/clock.js';
import type {
  AbortSignalLike,
  InboxMessage,
  OutboxItem,
  ReopenReceipt,
  ReopenRequest,
  RunIdentity,
  RunState,
  RunSummary,
  Session,
  StartRequest,
} from '../port/engine.js';
import type { Envelope } from '../port/envelope.js';
import type { CancelRequest, EntryDraft, JournalEntry } from '../port/journal-entry.js';
import type { Answer, AnswerReceipt, OpenRequest, ReceivedAnswer } from '../port/request.js';
import { wakeAtOf } from '../port/wake-at.js';

type Message = InboxMessage;

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
  readonly #options: JsonObject | undefined;
  readonly #clock: Clock;
  readonly #workers: Workers;
  readonly #startedAt: number;
  readonly #requests = new Map<string, OpenRequest>();
  readonly #answers = new Map<string, ReceivedAnswer>();
  /** Requests whose deadline has decided; a later answer is refused. */
  readonly #expired = new Map<string, number>();
  /** Messages that no entry has consumed yet. */
  #inbox: readonly Message[] = [];
  /** Those that were there when the session began: they had their chance, and wake nobody when it ends. */
  #known: ReadonlySet<Message> = new Set();
  readonly #endingListeners = new Set<() => void>();
  #listener: ((message: Message) => void) | undefined;
  #ending: Envelope | undefined;
  #stopAlarm: () => void = () => undefined;
  #updatedAt: number;
  #openedBy: string | undefined;

  constructor(request: StartRequest, clock: Clock, workers: Workers, startedAt: number = clock.now()) {
    const { runId, name, version, parent, input, options } = request;
    this.identity = { runId, name, version, ...(parent !== undefined && { parent }) };
    this.input = input;
    this.#options = options;
    this.#clock = clock;
    this.#workers = workers;
    this.#startedAt = startedAt;
    this.#updatedAt = this.#startedAt;
    const data = {
      name,
      version,
      ...(input !== undefined && { input }),
      ...(options !== undefined && { options }),
      ...(parent !== undefined && { parent }),
    };
    this.#append({ type: 'run_started', scope: '', ordinal: -1, at: this.#startedAt, data });
  }

  /** Rebuilds a run from its journal. */
  static from(entries: readonly JournalEntry[], clock: Clock, workers: Workers): MemoryRun {
    const [first] = entries;
    if (first?.type !== 'run_started') throw new TypeError('A journal begins with run_started.');
    const { name, version, input, options, parent } = first.data;
    const request = {
      runId: first.runId,
      name,
      version,
      ...(input !== undefined && { input }),
      ...(options !== undefined && { options }),
      ...(parent !== undefined && { parent }),
    };
    const run = new MemoryRun(request, clock, workers, first.at);
    run.entries.length = 0;
    for (const entry of entries) run.#adopt(entry);
    if (run.ending?.category === 'paused') run.#park(wakeAtOf(run.ending));
    return run;
  }

  #adopt(entry: JournalEntry): void {
    this.segment = entry.segment;
    this.entries.push(entry);
    this.#follow(entry);
    if (entry.type === 'segment_opened') this.state = 'ready';
    if (entry.type !== 'segment_ended') return;
    this.#ending = { ...entry.data.envelope, persisted: true };
    this.state = this.#ending.category === 'paused' ? 'parked' : 'ended';
  }

  settleNotice(id: string, retryAt: number | undefined): void {
    this.outbox = this.outbox.flatMap((item) => {
      if (item.id !== id) return [item];
      return retryAt === undefined ? [] : [{ ...item, dueAt: retryAt, attempts: item.attempts + 1 }];
    });
  }

  get ending(): Envelope | undefined {
    return this.state === 'ended' || (this.state === 'parked' && this.#ending?.segment === this.segment)
      ? this.#ending
      : undefined;
  }

  get openRequests(): readonly OpenRequest[] {
    return [...this.#requests.values()].filter(({ id }) => !this.#expired.has(id));
  }

  get summary(): RunSummary {
    const ending = this.ending;
    return {
      ...this.identity,
      state: ending === undefined && this.#isDue ? 'ready' : this.state,
      segment: this.segment,
      startedAt: this.#startedAt,
      updatedAt: this.#updatedAt,
      ...(ending !== undefined && {
        kind: ending.termination.kind,
        category: ending.category,
        outcome: ending.outcome,
        summary: ending.summary,
        usage: ending.usage,
        costUsd: ending.costUsd,
        durationMs: ending.durationMs,
      }),
    };
  }

  /** Opens the segment behind an ending; of two callers that saw the same ending one wins. */
  reopen(request: ReopenRequest): ReopenReceipt {
    checkAnswers(request.answers);
    const ending = this.ending;
    if (ending === undefined || request.after !== this.segment) {
      const by = this.#openedBy;
      return { status: 'conflict', segment: this.segment, ...(by !== undefined && { by }) };
    }
    if (!ending.open) return { status: 'closed', envelope: ending };
    for (const [requestId, answer] of Object.entries(request.answers ?? {})) {
      const receipt = this.#receiptFor(requestId);
      if (receipt !== undefined) return { status: 'refused', requestId, receipt };
      this.#checkFit(requestId, answer);
    }
    for (const [requestId, answer] of Object.entries(request.answers ?? {})) this.#deliver(requestId, answer);
    this.#openSegment(request);
    return { status: 'opened', segment: this.segment };
  }

  #openSegment({ because, by, options }: Pick<ReopenRequest, 'because' | 'by' | 'options'>): void {
    const from = this.segment;
    this.segment += 1;
    this.#openedBy = by;
    const data = { from, because, ...(by !== undefined && { by }), ...(options !== undefined && { options }) };
    this.#append({ type: 'segment_opened', scope: '', ordinal: -1, at: this.#clock.now(), data });
    this.#becomeReady();
  }

  /** True for a parked run whose time has come. */
  get #isDue(): boolean {
    return this.state === 'parked' && this.wakeAt !== undefined && this.#clock.now() >= this.wakeAt;
  }

  /** Hands the run to whoever asks first. */
  claim(): Session | undefined {
    if (this.#isDue) this.#wake('expiry');
    if (this.state !== 'ready') return undefined;
    this.state = 'running';
    this.#stopAlarm();
    this.#known = new Set(this.#inbox);
    return this.#session();
  }

  answer(requestId: string, answer: Answer): AnswerReceipt {
    checkAnswer(requestId, answer);
    const refused = this.#receiptFor(requestId);
    if (refused !== undefined) return refused;
    this.#checkFit(requestId, answer);
    const at = this.#deliver(requestId, answer);
    if (this.state === 'parked') this.#wake('answer', answer.by);
    return { status: 'delivered', at };
  }

  /** Why an answer cannot be taken, if so. */
  #receiptFor(requestId: string): AnswerReceipt | undefined {
    const first = this.#answers.get(requestId);
    if (first !== undefined)
      return { status: 'already', at: first.at, ...(first.by !== undefined && { by: first.by }) };
    if (this.#ending !== undefined && !this.#ending.open) return { status: 'ended' };
    const late = this.#expired.get(requestId);
    if (late !== undefined) return { status: 'expired', deadline: late };
    const request = this.#requests.get(requestId);
    if (request === undefined) return { status: 'unknown' };
    const { deadline } = request;
    return deadline !== undefined && this.#clock.now() >= deadline ? { status: 'expired', deadline } : undefined;
  }

  #checkFit(requestId: string, answer: Answer): void {
    const request = this.#requests.get(requestId);
    if (request !== undefined) checkAnswerTo(request, answer);
  }

  #deliver(requestId: string, answer: Answer): number {
    const at = this.#clock.now();
    this.#answers.set(requestId, { ...answer, requestId, at });
    this.#send({ type: 'answer', requestId, answer, at });
    return at;
  }

  cancel(request: CancelRequest): 'requested' | 'ended' {
    if (this.state === 'ended') return 'ended';
    this.#send({ type: 'cancel', request, at: this.#clock.now() });
    if (this.state === 'parked') this.#wake('cancel', request.by);
    return 'requested';
  }

  #send(message: Message): void {
    this.#inbox = [...this.#inbox, message];
    this.#listener?.(message);
  }

  /** Lets a parked run be taken up again; behind a paused ending that opens a segment. */
  #wake(because: 'answer' | 'cancel' | 'expiry', by?: string): void {
    if (this.ending === undefined) this.#becomeReady();
    else this.#openSegment({ because, ...(by !== undefined && { by }) });
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
    await this.#until(() => (this.state !== 'parked' || this.ending !== undefined ? true : undefined));
  }

  #until<T>(read: () => T | undefined, signal?: AbortSignalLike): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#endingListeners.delete(look);
        this.setAlarm();
        signal?.removeEventListener('abort', give);
      };
      const look = (): void => {
        const value = read();
        if (value === undefined) return;
        stop();
        resolve(value);
      };
      const give = (): void => {
        stop();
        reject(signal?.reason);
      };
      this.#endingListeners.add(look);
      this.setAlarm();
      signal?.addEventListener('abort', give, { once: true });
      if (signal?.aborted === true) give();
      else look();
    });
  }

  /** Wakes a parked run at its time, but only while someone would notice: an alarm keeps the process alive. */
  setAlarm(): void {
    this.#stopAlarm();
    const watched = this.#endingListeners.size > 0 || this.#workers.any();
    if (this.state !== 'parked' || this.wakeAt === undefined || !watched) return;
    this.#stopAlarm = this.#clock.callAt(this.wakeAt, () => this.#wake('expiry'));
  }

  #notify(): void {
    for (const listener of [...this.#endingListeners]) listener();
  }

  #session(): Session {
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
        this.#conclude(draft, outbox);
        return {};
      },
      park: async (wakeAt) => this.#park(wakeAt),
      listen: (listener) => this.#listen(listener),
      onFenced: () => () => undefined,
    };
  }

  #listen(listener: (message: Message) => void): () => void {
    this.#listener = listener;
    for (const message of this.#inbox) listener(message);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  #append(draft: EntryDraft): void {
    const { runId } = this.identity;
    const { type, scope, ordinal, key, at, data } = draft;
    const seq = this.entries.length + 1;
    this.entries.push({ runId, segment: this.segment, seq, scope, ordinal, at, type, key, data } as JournalEntry);
    this.#follow(draft);
  }

  /** Keeps what follows from an entry: which requests are open, and when something last happened. */
  #follow(draft: EntryDraft): void {
    if (draft.type === 'request_opened') {
      this.#requests.set(draft.data.request.id, draft.data.request);
      this.#expired.delete(draft.data.request.id);
    } else if (draft.type === 'request_expired') {
      this.#expired.set(draft.data.requestId, draft.data.deadline);
    } else if (draft.type === 'request_withdrawn') {
      // An answer that came before stays: a later segment may ask again.
      this.#requests.delete(draft.data.requestId);
    } else if (draft.type === 'request_answered') {
      const { requestId } = draft.data.answer;
      this.#requests.delete(requestId);
      if (draft.data.answer.expired !== true && !this.#answers.has(requestId))
        this.#answers.set(requestId, draft.data.answer);
      this.#consume((message) => message.type === 'answer' && message.requestId === requestId);
    } else if (draft.type === 'cancel_requested') {
      this.#consume((message) => message.type === 'cancel');
    }
    this.#updatedAt = draft.at;
  }

  #consume(done: (message: Message) => boolean): void {
    if (this.#inbox.length > 0) this.#inbox = this.#inbox.filter((message) => !done(message));
  }

  #conclude(draft: EntryDraft<'segment_ended'>, outbox: readonly OutboxItem[]): void {
    this.#append(draft);
    const envelope: Envelope = { ...draft.data.envelope, persisted: true };
    this.#ending = envelope;
    this.outbox = [...this.outbox, ...outbox];
    this.#listener = undefined;
    if (envelope.category === 'paused') {
      this.#park(wakeAtOf(envelope));
    } else {
      this.state = 'ended';
      // A wish to cancel belongs to the segment that it was meant for: it must not stop a later one.
      this.#consume((message) => message.type === 'cancel');
    }
    this.#notify();
  }

  #park(wakeAt: number | undefined): void {
    this.state = 'parked';
    this.wakeAt = wakeAt;
    this.#listener = undefined;
    this.setAlarm();
    // A message that came while it was being parked must not be left lying.
    const waiting = this.#inbox.find((message) => message.type === 'cancel' || !this.#known.has(message));
    if (waiting !== undefined) this.#wake(waiting.type);
  }
}
