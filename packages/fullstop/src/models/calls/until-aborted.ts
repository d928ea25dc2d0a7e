import type { AbortSignalLike } from '../../engines/port/engine.js';

/** The outcome of work that settles. */
export interface Settling<T, TResult> {
  done(value: T): TResult | PromiseLike<TResult>;
  /** For work that failed; without it the failure stands. */
  failed?(error: unknown): TResult | PromiseLike<TResult>;
}

/** Work that someone waits for. */
class Pending<T, TResult> {
  /** Its place in the list of its signal. */
  place = 0;
  readonly #settling: Settling<T, TResult>;
  readonly #resolve: (result: TResult | PromiseLike<TResult>) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    settling: Settling<T, TResult>,
    resolve: (result: TResult | PromiseLike<TResult>) => void,
    reject: (error: unknown) => void,
  ) {
    this.#settling = settling;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  done(value: T): void {
    try {
      this.#resolve(this.#settling.done(value));
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    try {
      if (this.#settling.failed === undefined) this.#reject(error);
      else this.#resolve(this.#settling.failed(error));
    } catch (thrown) {
      this.#reject(thrown);
    }
  }
}

type AnyPending = Pending<never, unknown>;

/** All work under one signal, in any order, since it is put in and taken out for every call. */
class Waiting {
  readonly #all: AnyPending[] = [];

  add(pending: AnyPending): void {
    pending.place = this.#all.length;
    this.#all.push(pending);
  }

  /** Takes it out; false when that was done before. */
  take(pending: AnyPending): boolean {
    const { place } = pending;
    if (this.#all[place] !== pending) return false;
    const last = this.#all.pop() as AnyPending;
    if (last === pending) return true;
    this.#all[place] = last;
    last.place = place;
    return true;
  }

  failAll(reason: unknown): void {
    for (const pending of this.#all.splice(0)) pending.fail(reason);
  }
}

/** One listener for each signal, however many calls are made under it: adding and removing one per call would cost more than the call's own bookkeeping. */
const waiting = new WeakMap<AbortSignalLike, Waiting>();

function waitingFor(signal: AbortSignalLike): Waiting {
  let all = waiting.get(signal);
  if (all === undefined) {
    const created = new Waiting();
    all = created;
    waiting.set(signal, created);
    signal.addEventListener('abort', () => created.failAll(signal.reason), { once: true });
  }
  return all;
}

/** The work, or the signal's reason as soon as it is aborted, for work that does not listen to the signal itself. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignalLike): Promise<T> {
  return settleUnlessAborted(work, signal, { done: (value) => value });
}

/** The same with what follows it, all in one promise: each further one would cost every call another turn of the queue. */
export function settleUnlessAborted<T, TResult>(
  work: PromiseLike<T>,
  signal: AbortSignalLike,
  settling: Settling<T, TResult>,
): Promise<TResult> {
  return new Promise<TResult>((resolve, reject) => {
    const pending = new Pending<T, TResult>(settling, resolve, reject);
    if (signal.aborted) {
      // Nobody waits for the work any more, so nobody minds how it ends.
      work.then(undefined, () => undefined);
      pending.fail(signal.reason);
      return;
    }
    const all = waitingFor(signal);
    all.add(pending as unknown as AnyPending);
    // What still comes of work that was aborted is nobody's concern.
    work.then(
      (value) => {
        if (all.take(pending as unknown as AnyPending)) pending.done(value);
      },
      (error: unknown) => {
        if (all.take(pending as unknown as AnyPending)) pending.fail(error);
      },
    );
  });
}
