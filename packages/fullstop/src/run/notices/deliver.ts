import { timerMilliseconds, wholeNumber } from '../../engines/port/check-number.js';
import type { AbortSignalLike, Engine, OutboxItem } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { type FetchLike, host } from '../../engines/port/host.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { Secrets } from '../secrets/secrets.js';
import { headerText, signatureHeaders } from './notice-signature.js';

/** An ending that someone is to be notified of. */
export interface Notice {
  /** The same for every attempt: receivers use it to do nothing twice. */
  readonly id: string;
  readonly runId: string;
  readonly segment: number;
  readonly target: string;
  /** The attempts that failed before this one. */
  readonly attempts: number;
  readonly envelope: Envelope;
}

/** A webhook: a POST with the envelope as its body, signed if there is a secret. */
export interface WebhookTarget {
  readonly url: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one attempt at this target may take, instead of the time for all. */
  readonly timeoutMs?: number;
}

/** A function that throws when it could not deliver, or a webhook. */
export type NoticeTarget = ((notice: Notice, signal: AbortSignalLike) => unknown) | WebhookTarget;

/** Options of `deliverNotices`: targets, retries and pace. */
export interface DeliverNoticesOptions {
  /** The receivers by the names in `onEnding`. Notices for other names are left to those who know them. */
  readonly targets: Readonly<Record<string, NoticeTarget>>;
  /** How often to look for notices; 1,000 unless given. */
  readonly pollMs?: number;
  /** How long one attempt may take; 10,000 unless given. */
  readonly timeoutMs?: number;
  /** How many attempts at once at each target; 10 unless given. A target that hangs holds up only itself. */
  readonly concurrency?: number;
  /** Stops the delivery when it is aborted. */
  readonly signal?: AbortSignalLike;
  /** Their values and placeholders are masked in what is sent. */
  readonly secrets?: Secrets;
  /** Called for attempts that failed and will be made again. */
  readonly onFailure?: (failure: NoticeFailure) => void;
  /** Replaces the global `fetch`. */
  readonly fetch?: FetchLike;
}

/** A delivery of a notice that did not work, and whether it is tried again. */
export interface NoticeFailure {
  readonly notice: Notice;
  readonly error: ErrorData;
  readonly retryAt: number;
}

/** Delivers notices of endings until it is stopped. */
export interface NoticeDelivery {
  start(): void;
  /** Begins no new attempt and waits for those under way. */
  stop(): Promise<void>;
  /** Makes one attempt for everything that is due, and says how many were delivered. For a single pass without `start`. */
  deliverDue(): Promise<number>;
}

const firstDelay = 1000;
const longestDelay = 60 * 60_000;
const usualTimeout = 10_000;
/** How much longer than its attempt a lease lasts: until then the outcome is in the store, unless this process died. */
const leaseMargin = 5000;

/** Delivers the notices of endings at least once, each again and again until its target takes it. */
export function deliverNotices(engine: Engine, options: DeliverNoticesOptions): NoticeDelivery {
  return new Deliverer(engine, options);
}

class Deliverer implements NoticeDelivery {
  readonly #engine: Engine;
  readonly #options: DeliverNoticesOptions;
  /** The attempts at each target. */
  readonly #underWay = new Map<string, Set<Promise<boolean>>>();
  #loop: Promise<void> | undefined;
  #stopped = false;
  #wake: () => void = () => undefined;

  constructor(engine: Engine, options: DeliverNoticesOptions) {
    const { pollMs, timeoutMs, concurrency } = options;
    if (pollMs !== undefined) timerMilliseconds(pollMs, 'deliverNotices: pollMs');
    if (timeoutMs !== undefined) timerMilliseconds(timeoutMs, 'deliverNotices: timeoutMs');
    if (concurrency !== undefined) wholeNumber(concurrency, 'deliverNotices: concurrency');
    for (const [name, target] of Object.entries(options.targets)) {
      this.#underWay.set(name, new Set());
      if (typeof target !== 'function' && target.timeoutMs !== undefined)
        timerMilliseconds(target.timeoutMs, `deliverNotices: targets.${name}.timeoutMs`);
    }
    this.#engine = engine;
    this.#options = options;
  }

  start(): void {
    const { signal } = this.#options;
    if (this.#loop !== undefined) return;
    this.#stopped = signal?.aborted === true;
    const abort = (): void => void this.stop();
    signal?.addEventListener('abort', abort, { once: true });
    this.#loop = this.#run().finally(() => {
      signal?.removeEventListener('abort', abort);
      this.#loop = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#loop;
    await Promise.all([...this.#underWay.values()].flatMap((attempts) => [...attempts]));
  }

  /** Each target at its own pace: none waits for another. */
  async deliverDue(): Promise<number> {
    const dueBy = this.#engine.clock.now();
    const counts = await Promise.all(Array.from(this.#underWay.keys(), (target) => this.#deliverAll(target, dueBy)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #deliverAll(target: string, dueBy: number): Promise<number> {
    const attempts: Promise<boolean>[] = [];
    for (;;) {
      const slots = this.#slotsOf(target);
      const items = slots === 0 ? [] : await this.#lease({ [target]: slots }, dueBy);
      for (const item of items) attempts.push(this.#begin(item));
      if (items.length < slots) return (await Promise.all(attempts)).filter(Boolean).length;
      await Promise.race(this.#attemptsAt(target));
    }
  }

  #attemptsAt(target: string): Set<Promise<boolean>> {
    return this.#underWay.get(target) ?? new Set();
  }

  #slotsOf(target: string): number {
    return Math.max(0, (this.#options.concurrency ?? 10) - this.#attemptsAt(target).size);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const slots = Object.fromEntries(Array.from(this.#underWay.keys(), (target) => [target, this.#slotsOf(target)]));
      // A store that fails now is asked again at the next look.
      const items = await this.#lease(slots).catch(() => []);
      // What was leased is sent even by one who was stopped meanwhile: others would have to wait for the lease to be over.
      for (const item of items) void this.#begin(item);
      if (this.#stopped) return;
      const isFull = Object.entries(slots).some(
        ([target, free]) => free > 0 && items.filter((item) => item.target === target).length === free,
      );
      await (isFull ? this.#nextFree() : this.#pause());
    }
  }

  /** Settles when an attempt is over, or it is time to look again: the one that is over may be at another target. */
  async #nextFree(): Promise<void> {
    const attempts = [...this.#underWay.values()].flatMap((each) => [...each]);
    await Promise.race([...attempts, this.#pause()]);
    this.#wake();
  }

  /** Takes what is due, so that nobody else sends it. */
  #lease(slots: Readonly<Record<string, number>>, dueBy?: number): Promise<readonly OutboxItem[]> {
    const timeouts = Object.keys(slots).map((target) => this.#timeoutOf(target));
    const until = this.#engine.clock.now() + Math.max(0, ...timeouts) + leaseMargin;
    return this.#engine.leaseNotices({ until, slots, ...(dueBy !== undefined && { dueBy }) });
  }

  #timeoutOf(name: string): number {
    const target = this.#options.targets[name];
    const own = typeof target === 'function' ? undefined : target?.timeoutMs;
    return own ?? this.#options.timeoutMs ?? usualTimeout;
  }

  #pause(): Promise<void> {
    const { clock } = this.#engine;
    return new Promise((resolve) => {
      const stopTimer = clock.callAt(clock.now() + (this.#options.pollMs ?? 1000), resolve);
      this.#wake = () => {
        stopTimer();
        resolve();
      };
    });
  }

  #begin(item: OutboxItem): Promise<boolean> {
    const attempts = this.#attemptsAt(item.target);
    const attempt = this.#attempt(item).finally(() => attempts.delete(attempt));
    attempts.add(attempt);
    return attempt;
  }

  /** True when it was delivered. Never rejects: whatever goes wrong, the notice stays and is tried again. */
  async #attempt(item: OutboxItem): Promise<boolean> {
    const { clock } = this.#engine;
    try {
      await this.#within(this.#timeoutOf(item.target), (signal) => this.#send(item, signal));
    } catch (error) {
      const retryAt = clock.now() + delayBefore(item.attempts + 1, error);
      await this.#settle(item, retryAt);
      this.#reportFailure(item, error, retryAt);
      return false;
    }
    await this.#settle(item);
    return true;
  }

  async #settle({ id, dueAt }: OutboxItem, retryAt?: number): Promise<void> {
    try {
      await this.#engine.settleNotice(id, retryAt, dueAt);
    } catch {
      // It is due again when its lease is over, so it is sent once more: at least once is what was promised.
    }
  }

  async #send(item: OutboxItem, signal: AbortSignalLike): Promise<void> {
    const target = this.#options.targets[item.target] as NoticeTarget;
    const body = this.#bodyOf(item);
    if (typeof target === 'function') await target(noticeOf(item, body), signal);
    else await this.#post(target, { id: item.id, body, signal });
  }

  /** The envelope as text, with its head and without secrets. */
  #bodyOf({ payload, headHash }: OutboxItem): string {
    const whole = headHash === undefined ? payload : JSON.stringify({ ...(JSON.parse(payload) as Envelope), headHash });
    return this.#options.secrets?.mask(whole) ?? whole;
  }

  async #post(
    target: WebhookTarget,
    { id, body, signal }: { id: string; body: string; signal: AbortSignalLike },
  ): Promise<void> {
    const sentAt = this.#engine.clock.now();
    const signature = target.secret === undefined ? {} : await signatureHeaders(target.secret, { id, sentAt, body });
    const own = { 'content-type': 'application/json', 'idempotency-key': headerText(id), 'webhook-id': headerText(id) };
    const post = this.#options.fetch ?? host.fetch;
    const response = await post(target.url, {
      method: 'POST',
      headers: { ...target.headers, ...own, ...signature },
      body,
      signal,
      redirect: 'manual',
    });
    if (response.ok) return;
    if (isRedirect(response.status)) throw redirected(response.status);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw Object.assign(new Error(`The webhook answered with status ${response.status}.`), {
      code: `HTTP_${response.status}`,
      ...(seconds > 0 && { retryAfterMs: seconds * 1000 }),
    });
  }

  /** Gives up on an attempt after a time; its signal says so, and what it still does has no consequence. */
  async #within(milliseconds: number, work: (signal: AbortSignalLike) => Promise<void>): Promise<void> {
    const controller = new host.AbortController();
    const { clock } = this.#engine;
    let stop: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      stop = clock.callAt(clock.now() + milliseconds, () => {
        const error = Object.assign(new Error(`The target took longer than ${milliseconds} ms.`), {
          name: 'TimeoutError',
          code: 'ETIMEDOUT',
        });
        controller.abort(error);
        reject(error);
      });
    });
    try {
      await Promise.race([work(controller.signal), late]);
    } finally {
      stop();
    }
  }

  #reportFailure(item: OutboxItem, error: unknown, retryAt: number): void {
    try {
      const notice = noticeOf(item, this.#bodyOf(item));
      this.#options.onFailure?.({ notice, error: toErrorData(error), retryAt });
    } catch {
      // A listener's fault is the listener's.
    }
  }
}

/** A browser hides where a redirect leads, and says 0. */
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400 && status !== 304);
}

/** Whoever answers with a redirect would decide who gets the notice, and its signature. */
function redirected(status: number): Error {
  const text = `The webhook answered with a redirect (status ${status}), which is not followed. Give the target the url that it leads to.`;
  return Object.assign(new Error(text), { code: 'REDIRECTED' });
}

function noticeOf({ id, runId, segment, target, attempts }: OutboxItem, body: string): Notice {
  return { id, runId, segment, target, attempts, envelope: JSON.parse(body) as Envelope };
}

/** Twice as long after every failure, up to an hour; a target that says how long to wait is taken at its word. */
function delayBefore(attempt: number, error: unknown): number {
  const asked = (error as { retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
  const delay = typeof asked === 'number' ? asked : firstDelay * 2 ** Math.min(attempt - 1, 20);
  return Math.min(Math.max(delay, firstDelay), longestDelay);
}
