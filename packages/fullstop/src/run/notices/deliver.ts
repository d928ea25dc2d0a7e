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
}

/** A function that throws when it could not deliver, or a webhook. */
export type NoticeTarget = ((notice: Notice, signal: AbortSignalLike) => unknown) | WebhookTarget;

export interface DeliverNoticesOptions {
  /** The receivers by the names in `onEnding`. Notices for other names are left to those who know them. */
  readonly targets: Readonly<Record<string, NoticeTarget>>;
  /** How often to look for notices; 1,000 unless given. */
  readonly pollMs?: number;
  /** How long one attempt may take; 10,000 unless given. */
  readonly timeoutMs?: number;
  /** How many attempts at once; 10 unless given. */
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
const mostNotices = 10_000;

/** Delivers the notices of endings at least once, each again and again until its target takes it. */
export function deliverNotices(engine: Engine, options: DeliverNoticesOptions): NoticeDelivery {
  return new Deliverer(engine, options);
}

class Deliverer implements NoticeDelivery {
  readonly #engine: Engine;
  readonly #options: DeliverNoticesOptions;
  readonly #underWay = new Map<string, Promise<boolean>>();
  #loop: Promise<void> | undefined;
  #stopped = false;
  #wake: () => void = () => undefined;

  constructor(engine: Engine, options: DeliverNoticesOptions) {
    const { pollMs, timeoutMs, concurrency } = options;
    if (pollMs !== undefined) timerMilliseconds(pollMs, 'deliverNotices: pollMs');
    if (timeoutMs !== undefined) timerMilliseconds(timeoutMs, 'deliverNotices: timeoutMs');
    if (concurrency !== undefined) wholeNumber(concurrency, 'deliverNotices: concurrency');
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
    await Promise.all(this.#underWay.values());
  }

  async deliverDue(): Promise<number> {
    const attempts: Promise<boolean>[] = [];
    for (const item of await this.#due()) {
      while (this.#free <= 0) await Promise.race(this.#underWay.values());
      attempts.push(this.#begin(item));
    }
    return (await Promise.all(attempts)).filter(Boolean).length;
  }

  get #free(): number {
    return Math.max(0, (this.#options.concurrency ?? 10) - this.#underWay.size);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      // A store that fails now is asked again at the next look.
      const items = await this.#due().catch(() => []);
      const free = this.#free;
      if (this.#stopped) return;
      for (const item of items.slice(0, free)) void this.#begin(item);
      await (items.length > free ? Promise.race(this.#underWay.values()) : this.#pause());
    }
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

  /** The due notices that we know a target for. Those of others may stand before ours, so the page grows until it has some. */
  async #due(): Promise<readonly OutboxItem[]> {
    for (let limit = 100; ; limit *= 10) {
      const page = await this.#engine.dueNotices(limit);
      const ours = page.filter(
        ({ id, target }) => Object.hasOwn(this.#options.targets, target) && !this.#underWay.has(id),
      );
      if (ours.length > 0 || page.length < limit || limit >= mostNotices) return ours;
    }
  }

  #begin(item: OutboxItem): Promise<boolean> {
    const attempt = this.#attempt(item).finally(() => this.#underWay.delete(item.id));
    this.#underWay.set(item.id, attempt);
    return attempt;
  }

  /** True when it was delivered. Never rejects: whatever goes wrong, the notice stays and is tried again. */
  async #attempt(item: OutboxItem): Promise<boolean> {
    const { clock } = this.#engine;
    try {
      await this.#within(this.#options.timeoutMs ?? 10_000, (signal) => this.#send(item, signal));
    } catch (error) {
      const retryAt = clock.now() + delayBefore(item.attempts + 1, error);
      await this.#settle(item.id, retryAt);
      this.#reportFailure(item, error, retryAt);
      return false;
    }
    await this.#settle(item.id);
    return true;
  }

  async #settle(id: string, retryAt?: number): Promise<void> {
    try {
      await this.#engine.settleNotice(id, retryAt);
    } catch {
      // It stays due, so it is sent once more: at least once is what was promised.
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
    });
    if (response.ok) return;
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

function noticeOf({ id, runId, segment, target, attempts }: OutboxItem, body: string): Notice {
  return { id, runId, segment, target, attempts, envelope: JSON.parse(body) as Envelope };
}

/** Twice as long after every failure, up to an hour; a target that says how long to wait is taken at its word. */
function delayBefore(attempt: number, error: unknown): number {
  const asked = (error as { retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
  const delay = typeof asked === 'number' ? asked : firstDelay * 2 ** Math.min(attempt - 1, 20);
  return Math.min(Math.max(delay, firstDelay), longestDelay);
}
