import type { Clock } from '../../engines/port/clock.js';
import type { AbortSignalLike } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import { Waiting } from '../../models/calls/until-aborted.js';
import type { StepAttempt } from '../../run/run-context.js';
import { Attempt } from '../../run/unit/step-attempt.js';
import type { UnitAbortListener } from '../../run/unit/unit.js';
import type { ModelTime, TimeLeft } from '../machine/in-flight.js';
import type { FailedCall } from '../machine/state.js';

/** The moment at which the time that is left will be over. */
export interface Deadline extends TimeLeft {
  readonly at: number;
}

export function deadlineOf(left: TimeLeft | undefined, { clock }: StepAttempt): Deadline | undefined {
  return left === undefined ? undefined : { ...left, at: clock.now() + left.ms };
}

export function timeUntil(deadline: Deadline | undefined, { clock }: StepAttempt): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : deadline.at - clock.now();
}

type ExpiredLimit = Pick<FailedCall, 'timedOutAfterMs' | 'scope'>;

/** The time limit of an attempt that is under way. */
export interface TimeLimit {
  readonly signal: AbortSignalLike;
  /** Hears of the abort before the signal. */
  readonly waiting: Waiting;
  /** Something was heard of the model. */
  hear(): void;
  isExpired(): boolean;
  /** The limit that expired. */
  whose(): ExpiredLimit;
  stop(): void;
}

/** Where a limit is kept for later attempts. */
export interface LimitMemory {
  limit: ReusableLimit | undefined;
}

interface Limits {
  readonly memory: LimitMemory;
  readonly step: StepAttempt;
  readonly time: ModelTime;
  readonly deadline: Deadline | undefined;
}

/** Starts the limits of an attempt: its own, that of its silence, and that of all attempts together. */
export function startLimit(limits: Limits): TimeLimit | undefined {
  const { time, deadline, step, memory } = limits;
  if (time.timeoutMs === undefined && time.silenceMs === undefined && deadline === undefined) return undefined;
  const source = Attempt.abortSource(step);
  const known = memory.limit;
  const limit = known?.isFreeFor(source) === true ? known : new ReusableLimit(source, memory);
  memory.limit ??= limit;
  limit.start(limits);
  return limit;
}

type AbortSource = ReturnType<typeof Attempt.abortSource>;

/** Used for one attempt after the other until it is aborted: making one for every call would cost more than the limit itself. */
class ReusableLimit implements TimeLimit, UnitAbortListener {
  /** True while an attempt uses it. */
  #isRunning = false;
  /** For attempts alone; an attempt under way is aborted with its step too. */
  readonly signal: AbortSignalLike;
  readonly waiting: Waiting = new Waiting();
  readonly #outer: AbortSource;
  readonly #memory: LimitMemory;
  readonly #controller = new host.AbortController();
  readonly #forward = (): void => this.onAbort('reason' in this.#outer ? this.#outer.reason : undefined);
  #clock: Clock | undefined;
  #silenceMs = Number.POSITIVE_INFINITY;
  /** When the attempt is over, however much is heard of it, and by whose limit. */
  #endsAt = Number.POSITIVE_INFINITY;
  #ends: ExpiredLimit | undefined;
  /** When something was heard of the model; undefined until its timer is set. */
  #heard: number | undefined;
  #stopTimer: (() => void) | undefined;
  #expired: ExpiredLimit | undefined;

  constructor(outer: AbortSource, memory: LimitMemory) {
    this.#outer = outer;
    this.#memory = memory;
    this.signal = this.#controller.signal;
    if ('isAborted' in outer) {
      if (outer.isAborted) this.onAbort(outer.abortReason);
      else outer.addAbortListener(this);
    } else if (outer.aborted) this.#forward();
    else outer.addEventListener('abort', this.#forward, { once: true });
  }

  isFreeFor(outer: AbortSource): boolean {
    return !this.#isRunning && this.#outer === outer;
  }

  start({ step, time, deadline }: Limits): void {
    const { clock } = step;
    this.#isRunning = true;
    this.#clock = clock;
    this.#silenceMs = time.silenceMs ?? Number.POSITIVE_INFINITY;
    this.#endsAt = Number.POSITIVE_INFINITY;
    if (time.timeoutMs === undefined && deadline === undefined) {
      // The silence of a fast model is over before anyone has to know when it began.
      this.#heard = undefined;
      setLater(this);
      return;
    }
    this.#heard = clock.now();
    const own = time.timeoutMs ?? Number.POSITIVE_INFINITY;
    const left = timeUntil(deadline, step);
    const isDeadline = deadline !== undefined && left <= own;
    this.#endsAt = this.#heard + (isDeadline ? Math.max(1, left) : own);
    this.#ends = isDeadline ? { timedOutAfterMs: deadline.limitMs, scope: deadline.scope } : { timedOutAfterMs: own };
    this.setTimer();
  }

  hear(): void {
    this.#heard = this.#now();
  }

  isExpired(): boolean {
    return this.#expired !== undefined;
  }

  whose(): ExpiredLimit {
    return this.#expired ?? {};
  }

  stop(): void {
    this.#isRunning = false;
    if (this.#stopTimer === undefined) leaveUnset(this);
    else this.#stopTimer();
    this.#stopTimer = undefined;
    const isKept = this.#memory.limit === this;
    if (isKept && !this.waiting.isAborted) return;
    if ('isAborted' in this.#outer) this.#outer.removeAbortListener(this);
    else this.#outer.removeEventListener('abort', this.#forward);
    if (isKept) this.#memory.limit = undefined;
  }

  setTimer(): void {
    this.#heard ??= this.#now();
    const due = Math.min(this.#endsAt, this.#heard + this.#silenceMs);
    this.#stopTimer = this.#clock?.callAt(due, () => this.#check());
  }

  /** Parts of an answer do not move the timer, which would cost more than they do: when it is due, the rest is waited for. */
  #check(): void {
    const now = this.#now();
    const isOver = now >= this.#endsAt;
    if (!isOver && now < (this.#heard ?? now) + this.#silenceMs) {
      this.setTimer();
      return;
    }
    this.#expired = isOver ? this.#ends : { timedOutAfterMs: this.#silenceMs };
    const message = isOver
      ? `The model took longer than ${this.#ends?.timedOutAfterMs} ms.`
      : `Nothing was heard of the model for ${this.#silenceMs} ms.`;
    this.onAbort(Object.assign(new Error(message), { name: 'TimeoutError' }));
  }

  /** A signal that no attempt uses any more stays as it is: an abort of it costs a short run as much as its start. */
  onAbort(reason: unknown): void {
    this.waiting.abort(reason);
    if (this.#isRunning) this.#controller.abort(reason);
  }

  #now(): number {
    return this.#clock?.now() ?? 0;
  }
}

/**
 * Limits of silence whose timers are not set yet: a fast model answers before, and timers would cost it more than everything
 * else about its limit. The list is never empty: one that gets empty again and again is made anew each time.
 */
const unset: (ReusableLimit | undefined)[] = [undefined];
let isScheduled = false;

function setLater(limit: ReusableLimit): void {
  unset.push(limit);
  if (isScheduled) return;
  isScheduled = true;
  if (host.setImmediate === undefined) host.setTimeout(setTimers, 0);
  else host.setImmediate(setTimers);
}

function setTimers(): void {
  isScheduled = false;
  for (const limit of unset.splice(1)) limit?.setTimer();
}

/** A limit that is over must not stay until the next turn of the event loop: it would keep its run, and fast models make thousands of calls before that. */
function leaveUnset(limit: ReusableLimit): void {
  const place = unset.lastIndexOf(limit);
  if (place === unset.length - 1) unset.pop();
  else if (place > 0) unset.splice(place, 1);
}
