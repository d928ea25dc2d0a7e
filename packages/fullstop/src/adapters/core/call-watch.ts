import type { Clock } from '../../engines/port/clock.js';
import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { StepAttempt } from '../../run/run-context.js';
import type { InFlightLimits, StopCondition } from '../../stop/condition.js';
import type { ForeignEvent } from './foreign-event.js';
import type { ForeignState } from './foreign-state.js';
import type { Heard, LiveCall } from './live-call.js';

type Expired = Extract<ForeignEvent, { type: 'expired' }>;

/** Something that was heard of a call, or the limit of time that it reached before. */
type Turn<TResult> =
  | { readonly heard: Heard<TResult>; readonly expired?: undefined }
  | { readonly heard: undefined; readonly expired: Expired };

type AnyLive = Pick<LiveCall<unknown>, 'abort' | 'giveUp'>;

/**
 * Watches a call under way: a cancelled run aborts it, and a limit of time ends the wait for it. One listener and one timer for all
 * steps of a call: to set and take back both at every step would cost more than to weigh it.
 */
export class CallWatch {
  readonly #live: AnyLive;
  readonly #clock: Clock;
  readonly #signal: AbortSignalLike;
  readonly #abort: () => void;
  #limits: TimeLimits | undefined;
  /** The moment at which the wait under way is over, and by whose limit; infinite while nobody waits or nothing limits it. */
  #dueAt = Number.POSITIVE_INFINITY;
  #due: Expired | undefined;
  #expired: Expired | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #stopTimer: (() => void) | undefined;

  /** `signals` are the caller's own: when one of them ends the run, the framework sees its reason. */
  constructor(live: AnyLive, { clock, signal }: StepAttempt, signals: readonly AbortSignalLike[]) {
    this.#live = live;
    this.#clock = clock;
    this.#signal = signal;
    this.#abort = () => live.abort((signals.find(({ aborted }) => aborted) ?? signal).reason);
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** Waits for the next thing that is heard. */
  async next<TResult>(live: LiveCall<TResult>, state: ForeignState): Promise<Turn<TResult>> {
    this.#expired = undefined;
    this.#setDue(state);
    const heard = await live.next();
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (heard !== undefined) return { heard };
    if (this.#expired === undefined) throw new TypeError('A wait without a limit was given up.');
    return { heard, expired: this.#expired };
  }

  /** Nobody waits for the call any more. */
  stop(): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #setDue({ conditions, activeMs, iterationStart }: ForeignState): void {
    if (this.#limits?.of !== conditions) this.#limits = timeLimitsOf(conditions);
    const { runMs, iterationMs } = this.#limits;
    const ofRun = runMs - activeMs;
    const ofIteration = iterationMs - (activeMs - iterationStart);
    const left = Math.min(ofRun, ofIteration);
    if (left === Number.POSITIVE_INFINITY) return;
    this.#dueAt = this.#clock.now() + Math.max(1, left);
    this.#due =
      ofRun <= ofIteration
        ? { type: 'expired', limitMs: runMs, scope: 'run' }
        : { type: 'expired', limitMs: iterationMs, scope: 'iteration' };
    if (this.#dueAt < this.#timerAt) this.#setTimer();
  }

  #setTimer(): void {
    this.#stopTimer?.();
    this.#timerAt = this.#dueAt;
    this.#stopTimer = this.#clock.callAt(this.#timerAt, () => this.#check());
  }

  /** A step does not move the timer: when it is due and the limit is not, the rest is waited for. */
  #check(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (this.#clock.now() >= this.#dueAt) {
      this.#expired = this.#due;
      this.#live.giveUp();
    } else if (this.#dueAt < Number.POSITIVE_INFINITY) this.#setTimer();
  }
}

interface TimeLimits {
  readonly of: readonly StopCondition<string>[];
  readonly runMs: number;
  readonly iterationMs: number;
}

function timeLimitsOf(conditions: readonly StopCondition<string>[]): TimeLimits {
  const tightest = (name: 'runMs' | 'iterationMs'): number => {
    const given = conditions.map(({ limits = {} }: { readonly limits?: InFlightLimits }) => limits[name]);
    return Math.min(Number.POSITIVE_INFINITY, ...given.filter((limit) => limit !== undefined));
  };
  return { of: conditions, runMs: tightest('runMs'), iterationMs: tightest('iterationMs') };
}
