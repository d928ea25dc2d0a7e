import type { Clock } from './clock.js';

/** Waits until all work has settled, but no longer than a grace. */
export async function awaitGrace(clock: Clock, work: readonly Promise<unknown>[], graceMs: number): Promise<void> {
  let stopTimer: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    stopTimer = clock.callAt(clock.now() + graceMs, resolve);
  });
  await Promise.race([Promise.allSettled(work), over]);
  stopTimer();
}
