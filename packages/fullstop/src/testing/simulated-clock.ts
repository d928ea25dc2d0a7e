import type { Clock } from '../engines/port/clock.js';
import { host } from '../engines/port/host.js';

/** A clock that no wall time moves. */
export interface SimulatedClock extends Clock {
  /** Moves the time on; what falls due on the way is called in order, and what follows from it is waited for. */
  advance(milliseconds: number): Promise<void>;
  /** A wait of this clock, for effects that take time. */
  sleep(milliseconds: number): Promise<void>;
  /** Time stands still during this work, which is no wait of the clock: files, sockets, threads. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** Options of a simulated clock. */
export interface SimulatedClockOptions {
  /** False: time moves only by `advance`. True unless given: it also jumps to the next timer when nothing else is left to do. */
  readonly auto?: boolean;
}

interface Timer {
  readonly instant: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Turns of the event loop without any use of the clock, after which nothing but clock waits can be pending. */
const turnsOfQuiet = 5;

const usualStart = Date.UTC(2026, 0, 1);

/**
 * Makes a clock for tests. It advances by itself only when every pending operation is a clock wait, straight to the next
 * timer; timers of the same instant are called in the order they were set.
 */
export function simulatedClock(start: number = usualStart, options: SimulatedClockOptions = {}): SimulatedClock {
  return new ManualClock(start, options.auto ?? true);
}

class ManualClock implements SimulatedClock {
  readonly #auto: boolean;
  readonly #timers = new Set<Timer>();
  #instant: number;
  #order = 0;
  /** Grows whenever someone uses the clock: whoever does is not waiting for it. */
  #uses = 0;
  #working = 0;
  #advancing = 0;
  #watching = false;

  constructor(start: number, auto: boolean) {
    this.#instant = start;
    this.#auto = auto;
  }

  now(): number {
    this.#uses += 1;
    return this.#instant;
  }

  callAt(instant: number, callback: () => void): () => void {
    this.#uses += 1;
    this.#order += 1;
    const timer: Timer = { instant: Math.ceil(instant), order: this.#order, callback };
    this.#timers.add(timer);
    this.#watch();
    return () => {
      this.#uses += 1;
      this.#timers.delete(timer);
    };
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.callAt(this.#instant + milliseconds, resolve);
    });
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await work;
    } finally {
      this.#working -= 1;
      this.#uses += 1;
    }
  }

  async advance(milliseconds: number): Promise<void> {
    const target = this.#instant + milliseconds;
    this.#advancing += 1;
    for (;;) {
      await new Promise<void>((resolve) => this.#whenQuiet(resolve));
      const timer = this.#next();
      if (timer === undefined || timer.instant > target) break;
      this.#fire(timer);
    }
    this.#instant = Math.max(this.#instant, target);
    this.#advancing -= 1;
    this.#watch();
  }

  /** Moves from timer to timer, each time after everything that the last one started has settled. */
  #watch(): void {
    if (!this.#auto || this.#watching || this.#advancing > 0 || this.#timers.size === 0) return;
    this.#watching = true;
    this.#whenQuiet(() => {
      this.#watching = false;
      const timer = this.#advancing > 0 ? undefined : this.#next();
      if (timer !== undefined) this.#fire(timer);
      this.#watch();
    });
  }

  #whenQuiet(callback: () => void, quietTurns = 0, usesBefore: number = this.#uses): void {
    const quiet = usesBefore === this.#uses && this.#working === 0 ? quietTurns : 0;
    const uses = this.#uses;
    if (quiet >= turnsOfQuiet) callback();
    else later(() => this.#whenQuiet(callback, quiet + 1, uses));
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || isBefore(timer, first)) first = timer;
    return first;
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    this.#instant = Math.max(this.#instant, timer.instant);
    timer.callback();
  }
}

function isBefore(left: Timer, right: Timer): boolean {
  return left.instant < right.instant || (left.instant === right.instant && left.order < right.order);
}

function later(callback: () => void): void {
  if (host.setImmediate === undefined) host.setTimeout(callback, 0);
  else host.setImmediate(callback);
}
