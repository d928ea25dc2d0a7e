import type { AbortSignalLike } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';

/** A signal that is aborted with whichever of two is first. */
export function anySignal(one: AbortSignalLike, other: AbortSignalLike): AbortSignalLike {
  const joined = new host.AbortController();
  for (const signal of [one, other]) {
    const forward = (): void => joined.abort(signal.reason);
    if (signal.aborted) forward();
    else signal.addEventListener('abort', forward, { once: true });
  }
  return joined.signal;
}
