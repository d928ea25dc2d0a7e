import type { AbortSignalLike } from '../../engines/port/engine.js';

type Reject = (reason: unknown) => void;

/**
 * One listener for each signal, however many calls are made under it: adding and removing one for every call would cost more
 * than the call's own bookkeeping. A list, since few wait at the same time, and a set makes a new table whenever it gets empty.
 */
const waiting = new WeakMap<AbortSignalLike, Reject[]>();

function waitingUnder(signal: AbortSignalLike): Reject[] {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const rejects: Reject[] = [];
  waiting.set(signal, rejects);
  signal.addEventListener(
    'abort',
    () => {
      for (const reject of rejects.splice(0)) reject(signal.reason);
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
    const giveUp: Reject = (reason) => {
      onAbort?.();
      reject(reason);
    };
    // The work itself may have led to the abort.
    if (signal.aborted) giveUp(signal.reason);
    const rejects = waitingUnder(signal);
    rejects.push(giveUp);
    // Whatever still comes of aborted work is ignored: the promise is settled.
    work.then(
      (value) => {
        removeFrom(rejects, giveUp);
        resolve(value);
      },
      (error: unknown) => {
        removeFrom(rejects, giveUp);
        reject(error);
      },
    );
  });
}

function removeFrom(rejects: Reject[], reject: Reject): void {
  const place = rejects.lastIndexOf(reject);
  if (place === rejects.length - 1) rejects.pop();
  else if (place >= 0) rejects.splice(place, 1);
}
