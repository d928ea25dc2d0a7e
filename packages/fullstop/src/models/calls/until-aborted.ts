import type { AbortSignalLike } from '../../engines/port/engine.js';

/** Something that hears of an abort. */
interface AbortListener {
  /** Called within the abort, before anyone else can act on it. */
  onAbort(reason: unknown): void;
}

/** Work that an abort may end first; what still comes of it then is ignored. Once it has begun, exactly one of the other methods is called, once. */
export interface AbortableWork<T> extends AbortListener {
  begin(): PromiseLike<T>;
  onValue(value: T): void;
  onError(error: unknown): void;
}

/**
 * Those who wait for the same abort. A signal is listened to once, however many calls are made: adding and removing a listener for every
 * call would cost more than the call's own bookkeeping, and so would asking a signal whether it is aborted.
 */
export class Waiting {
  isAborted = false;
  reason: unknown;
  /** Never empty: a list that gets empty again and again is made anew each time. */
  readonly #works: AbortListener[] = [noWork];

  abort(reason: unknown): void {
    this.isAborted = true;
    this.reason = reason;
    for (const work of this.#works.splice(0)) work.onAbort(reason);
  }

  add(work: AbortListener): void {
    this.#works.push(work);
  }

  /** False when it was aborted before. */
  remove(work: AbortListener): boolean {
    const works = this.#works;
    const place = works.lastIndexOf(work);
    if (place < 1) return false;
    if (place === works.length - 1) works.pop();
    else works.splice(place, 1);
    return true;
  }
}

const noWork: AbortListener = { onAbort: ignore };

const waitingUnder = new WeakMap<AbortSignalLike, Waiting>();

/** Those who wait under a signal; begins to listen to it when it is first asked. */
export function waitingOf(signal: AbortSignalLike): Waiting {
  const known = waitingUnder.get(signal);
  if (known !== undefined) return known;
  const waiting = new Waiting();
  waitingUnder.set(signal, waiting);
  const abort = (): void => waiting.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return waiting;
}

/** Notifies a listener of the abort of a signal, at once if that was before. `ignoreAbort` ends it. */
export function listenToAbort(listener: AbortListener, signal: AbortSignalLike): void {
  const waiting = waitingOf(signal);
  if (waiting.isAborted) listener.onAbort(signal.reason);
  else waiting.add(listener);
}

export function ignoreAbort(listener: AbortListener, signal: AbortSignalLike): void {
  waitingOf(signal).remove(listener);
}

/**
 * Waits for work, but only until the abort: the work need not listen to a signal itself. Without a promise of its own, which would cost
 * every call of a model as much as its bookkeeping. Work that comes after the abort fails without being begun.
 */
export function awaitUnlessAborted<T>(work: AbortableWork<T>, waiting: Waiting): void {
  if (waiting.isAborted) {
    work.onError(waiting.reason);
    return;
  }
  const result = work.begin();
  // The work itself may have led to the abort.
  if (waiting.isAborted) {
    work.onAbort(waiting.reason);
    result.then(ignore, ignore);
    return;
  }
  waiting.add(work);
  result.then(
    (value) => {
      if (waiting.remove(work)) work.onValue(value);
    },
    (error: unknown) => {
      if (waiting.remove(work)) work.onError(error);
    },
  );
}

/** Waits for something, but rejects with the signal's reason as soon as it is aborted. */
export function untilAborted<T>(begin: () => PromiseLike<T>, signal: AbortSignalLike): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    awaitUnlessAborted({ begin, onValue: resolve, onError: reject, onAbort: reject }, waitingOf(signal));
  });
}

function ignore(): void {
  // Whoever waited knows already.
}
