import type { AbortSignalLike } from '../engines/port/engine.js';

/** One listener for each signal, however many calls are made under it: adding and removing one per call would cost more than the call's own bookkeeping. */
const waiting = new WeakMap<AbortSignalLike, Set<() => void>>();

function waitingFor(signal: AbortSignalLike): Set<() => void> {
  let stops = waiting.get(signal);
  if (stops === undefined) {
    const created = new Set<() => void>();
    stops = created;
    waiting.set(signal, created);
    signal.addEventListener(
      'abort',
      () => {
        for (const stop of created) stop();
      },
      { once: true },
    );
  }
  return stops;
}

/** What becomes of work that comes back. */
export interface Settling<T, TResult> {
  done(value: T): TResult | PromiseLike<TResult>;
  /** For work that failed; without it the failure stands. */
  readonly failed?: ((error: unknown) => TResult | PromiseLike<TResult>) | undefined;
}

/** The work, or the signal's reason as soon as it is aborted, for work that does not listen to the signal itself. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignalLike): Promise<T> {
  return settleUnlessAborted(work, signal, { done: (value) => value });
}

/** The same with what comes behind it, all in one promise: each further one would cost every call another turn of the queue. */
export function settleUnlessAborted<T, TResult>(
  work: PromiseLike<T>,
  signal: AbortSignalLike,
  settling: Settling<T, TResult>,
): Promise<TResult> {
  return new Promise<TResult>((resolve, reject) => {
    const fail = (error: unknown): void => {
      try {
        if (settling.failed === undefined) reject(error);
        else resolve(settling.failed(error));
      } catch (thrown) {
        reject(thrown);
      }
    };
    if (signal.aborted) {
      // Nobody waits for the work any more, so nobody minds how it ends.
      work.then(undefined, () => undefined);
      fail(signal.reason);
      return;
    }
    const stops = waitingFor(signal);
    const stop = (): void => {
      if (stops.delete(stop)) fail(signal.reason);
    };
    stops.add(stop);
    // What still comes of work that was aborted is nobody's concern.
    work.then(
      (value) => {
        if (!stops.delete(stop)) return;
        try {
          resolve(settling.done(value));
        } catch (error) {
          fail(error);
        }
      },
      (error: unknown) => {
        if (stops.delete(stop)) fail(error);
      },
    );
  });
}
