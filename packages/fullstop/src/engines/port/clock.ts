import { host } from './host.js';

/** Where time comes from: the system, or a test that moves it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some instant, which only ever pass, whoever sets the time; leases are measured with these. The machine's unless given. */
  monotonic?(): number;
  /** Calls back once at or after an instant; the function returned cancels the call. */
  callAt(instant: number, callback: () => void): () => void;
  /** On clocks of tests: time stands still during this work, which is no wait of the clock. */
  during?<T>(work: Promise<T>): Promise<T>;
}

// Node caps a timer at this; longer waits are taken in turns.
const longestTimer = 2_147_483_647;

/** The clock of the machine. A pending timer keeps the process alive, as a waiting run should. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => host.performance.now(),
  callAt(instant, callback) {
    let timer: unknown;
    const arm = (): void => {
      const rest = instant - Date.now();
      timer = host.setTimeout(rest > longestTimer ? arm : callback, Math.min(Math.max(rest, 0), longestTimer));
    };
    arm();
    return () => host.clearTimeout(timer);
  },
};

/** The steady time of a clock; that of the machine where the clock moves only the time of runs. */
export function monotonicOf(clock: Clock): () => number {
  return clock.monotonic === undefined ? () => host.performance.now() : () => (clock.monotonic as () => number)();
}
