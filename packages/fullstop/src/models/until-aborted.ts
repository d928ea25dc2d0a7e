import type { AbortSignalLike } from '../engines/port/engine.js';

/** The work, or the signal's reason as soon as it is aborted, for work that does not listen to the signal itself. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignalLike): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
