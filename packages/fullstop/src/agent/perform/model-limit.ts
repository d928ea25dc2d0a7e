import type { AbortSignalLike } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import type { StepAttempt } from '../../run/run-context.js';
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

/** The time limit of an attempt that is under way. */
export interface TimeLimit {
  readonly signal: AbortSignalLike;
  /** Something was heard of the model. */
  hear(): void;
  isExpired(): boolean;
  /** The limit that expired. */
  whose(): Pick<FailedCall, 'timedOutAfterMs' | 'scope'>;
  stop(): void;
}

interface Limits {
  readonly step: StepAttempt;
  readonly time: ModelTime;
  readonly deadline: Deadline | undefined;
}

/** Starts the limits of an attempt: its own, that of its silence, and that of all attempts together. */
export function startLimit({ step, time, deadline }: Limits): TimeLimit | undefined {
  const { timeoutMs, silenceMs } = time;
  if (timeoutMs === undefined && silenceMs === undefined && deadline === undefined) return undefined;
  return new RunningLimit({ step, time, deadline });
}

class RunningLimit implements TimeLimit {
  readonly #step: StepAttempt;
  readonly #silenceMs: number;
  /** When the attempt is over, however much is heard of it. */
  readonly #endsAt: number;
  readonly #ends: Pick<FailedCall, 'timedOutAfterMs' | 'scope'>;
  readonly #abort: OwnAbort;
  #heard: number;
  #stopTimer: (() => void) | undefined;
  #isStopped = false;
  #expired: Pick<FailedCall, 'timedOutAfterMs' | 'scope'> | undefined;

  constructor({ step, time, deadline }: Limits) {
    const now = step.clock.now();
    const own = time.timeoutMs ?? Number.POSITIVE_INFINITY;
    const left = timeUntil(deadline, step);
    this.#step = step;
    this.#silenceMs = time.silenceMs ?? Number.POSITIVE_INFINITY;
    const isDeadline = deadline !== undefined && left <= own;
    this.#endsAt = now + (isDeadline ? Math.max(1, left) : own);
    this.#ends = isDeadline ? { timedOutAfterMs: deadline.limitMs, scope: deadline.scope } : { timedOutAfterMs: own };
    this.#heard = now;
    this.#abort = takeAbort(step.signal);
    if (this.#endsAt === Number.POSITIVE_INFINITY) setLater(this);
    else this.setTimer();
  }

  get signal(): AbortSignalLike {
    return this.#abort.controller.signal;
  }

  hear(): void {
    this.#heard = this.#step.clock.now();
  }

  isExpired(): boolean {
    return this.#expired !== undefined;
  }

  whose(): Pick<FailedCall, 'timedOutAfterMs' | 'scope'> {
    return this.#expired ?? {};
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#stopTimer === undefined) leaveUnset(this);
    else this.#stopTimer();
    returnAbort(this.#step.signal, this.#abort);
  }

  setTimer(): void {
    if (this.#isStopped) return;
    const due = Math.min(this.#endsAt, this.#heard + this.#silenceMs);
    this.#stopTimer = this.#step.clock.callAt(due, () => this.#check());
  }

  /** Parts of an answer do not move the timer, which would cost more than they do: when it is due, the rest is waited for. */
  #check(): void {
    const now = this.#step.clock.now();
    const isOver = now >= this.#endsAt;
    if (!isOver && now < this.#heard + this.#silenceMs) {
      this.setTimer();
      return;
    }
    this.#expired = isOver ? this.#ends : { timedOutAfterMs: this.#silenceMs };
    const message = isOver
      ? `The model took longer than ${this.#ends.timedOutAfterMs} ms.`
      : `Nothing was heard of the model for ${this.#silenceMs} ms.`;
    this.#abort.controller.abort(Object.assign(new Error(message), { name: 'TimeoutError' }));
  }
}

/** Limits of silence whose timers are not set yet: a fast model answers before, and timers would cost it more than everything else about its limit. */
const unset: RunningLimit[] = [];
let isScheduled = false;

function setLater(limit: RunningLimit): void {
  unset.push(limit);
  if (isScheduled) return;
  isScheduled = true;
  if (host.setImmediate === undefined) host.setTimeout(setTimers, 0);
  else host.setImmediate(setTimers);
}

function setTimers(): void {
  isScheduled = false;
  for (const limit of unset.splice(0)) limit.setTimer();
}

/** A limit that is over must not stay until the next turn of the event loop: it would keep its run, and fast models make thousands of calls before that. */
function leaveUnset(limit: RunningLimit): void {
  const place = unset.lastIndexOf(limit);
  if (place >= 0) unset.splice(place, 1);
}

/** A controller for attempts alone, which is aborted with the step too. */
interface OwnAbort {
  readonly controller: { readonly signal: AbortSignalLike; abort(reason?: unknown): void };
  readonly forget: () => void;
  /** True while an attempt uses it. */
  isTaken: boolean;
}

/** One for each signal of a step, used for one attempt after the other until it is aborted: making one for every call would cost more than the limit itself. */
const shared = new WeakMap<AbortSignalLike, OwnAbort>();

function takeAbort(outer: AbortSignalLike): OwnAbort {
  const known = shared.get(outer);
  if (known !== undefined && !known.isTaken) {
    known.isTaken = true;
    return known;
  }
  const controller = new host.AbortController();
  const forward = (): void => controller.abort(outer.reason);
  if (outer.aborted) forward();
  else outer.addEventListener('abort', forward, { once: true });
  const own: OwnAbort = {
    controller,
    forget: () => outer.removeEventListener('abort', forward),
    isTaken: true,
  };
  if (known === undefined) shared.set(outer, own);
  return own;
}

function returnAbort(outer: AbortSignalLike, own: OwnAbort): void {
  const isShared = shared.get(outer) === own;
  own.isTaken = false;
  if (isShared && !own.controller.signal.aborted) return;
  own.forget();
  if (isShared) shared.delete(outer);
}
