import type { AbortSignalLike } from '../../engines/port/engine.js';

/** Notified within the abort of work that is under way, before anyone else can act on it. */
export interface AbortListener {
  onAbort(): void;
}

/** Work under way: a record and not a closure each, because every call of a model makes one. */
interface PendingWork {
  readonly reject: (reason: unknown) => void;
  readonly listener: AbortListener | undefined;
}

/**
 * One listener for each signal, however many calls are made under it: adding and removing one for every call would cost more
 * than the call's own bookkeeping. The list is never empty: one that gets empty again and again is made anew each time.
 */
const pendingUnder = new WeakMap<AbortSignalLike, PendingWork[]>();

function beginToListen(signal: AbortSignalLike): PendingWork[] {
  const pending: PendingWork[] = [{ reject: () => undefined, listener: undefined }];
  pendingUnder.set(signal, pending);
  signal.addEventListener(
    'abort',
    () => {
      for (const work of pending.splice(0)) giveUp(work, signal);
    },
    { once: true },
  );
  return pending;
}

function giveUp({ reject, listener }: PendingWork, { reason }: AbortSignalLike): void {
  listener?.onAbort();
  reject(reason);
}

/**
 * Waits for work, but rejects with the signal's reason as soon as it is aborted: the work need not listen to the signal
 * itself.
 */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignalLike, listener?: AbortListener): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const pending = pendingUnder.get(signal) ?? beginToListen(signal);
    const own: PendingWork = { reject, listener };
    // The work itself may have led to the abort.
    if (signal.aborted) giveUp(own, signal);
    else pending.push(own);
    // Whatever still comes of aborted work is ignored: the promise is settled.
    work.then(
      (value) => {
        removeFrom(pending, own);
        resolve(value);
      },
      (error: unknown) => {
        removeFrom(pending, own);
        reject(error);
      },
    );
  });
}

function removeFrom(pending: PendingWork[], work: PendingWork): void {
  const place = pending.lastIndexOf(work);
  if (place > 0 && place === pending.length - 1) pending.pop();
  else if (place > 0) pending.splice(place, 1);
}
