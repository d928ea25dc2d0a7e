import type { Clock } from '../../packages/fullstop/src/engines/port/clock.js';

/** A clock that hurries through waits between attempts, and holds time limits until a server is seen to be stuck. */
export interface HurriedClock extends Clock {
  /** Lets the next time limit expire. */
  expire(): void;
}

/** From here on a timer is a limit of something that is under way, and no wait. */
const shortestLimit = 60_000;

/** Makes a clock whose time passes only by what is due, so that no test waits and none depends on how busy the machine is. */
export function hurriedClock(start: number): HurriedClock {
  const limits = new Map<object, readonly [instant: number, callback: () => void]>();
  let now = start;
  const arrive = (instant: number, callback: () => void): void => {
    now = Math.max(now, instant);
    callback();
  };
  return {
    now: () => now,
    callAt(instant, callback) {
      if (instant - now >= shortestLimit) {
        const key = {};
        limits.set(key, [instant, callback]);
        return () => void limits.delete(key);
      }
      const timer = setImmediate(arrive, instant, callback);
      return () => clearImmediate(timer);
    },
    expire() {
      const [next] = [...limits].sort(([, [one]], [, [other]]) => one - other);
      if (next === undefined) return;
      limits.delete(next[0]);
      arrive(...next[1]);
    },
  };
}
