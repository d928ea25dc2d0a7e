import type { AbortSignalLike } from '../../engines/port/engine.js';

type Reject = (reason: unknown) => void;

/** One listener for each signal, however many calls are made under it: adding and removing one for every call would cost more than the call's own bookkeeping. */
const waiting = new WeakMap<AbortSignalLike, Set<Reject>>();

function waitingUnder(signal: AbortSignalLike): Set<Reject> {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const rejects = new Set<Reject>();
  waiting.set(signal, rejects);
  signal.addEventListener(
    'abort',
    () => {
      for (const reject of rejects) reject(signal.reason);
      rejects.clear();
    },
    { once: true },
  );
  return rejects;
}

/**
 * Waits for work, but rejects with the signal's reason as soon as it is aborted: the work need not listen to the signal
 * itself. `onAbort` is called within the abort, before anyone else can act on it.
 */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignalLike, onAbort?: () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const rejects = waitingUnder(signal);
    const giveUp: Reject = (reason) => {
      onAbort?.();
      reject(reason);
    };
    rejects.add(giveUp);
    // Whatever still comes of aborted work is ignored: the promise is settled.
    work.then(
      (value) => {
        rejects.delete(giveUp);
        resolve(value);
      },
      (error: unknown) => {
        rejects.delete(giveUp);
        reject(error);
      },
    );
  });
}
