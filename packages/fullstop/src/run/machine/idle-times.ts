import type { ActiveTimeline } from '../accounts/active-timeline.js';
import type { Machine } from './machine.js';

/** The times in which nobody worked on the run, of which a machine is told before what was observed behind them. */
export class IdleTimes<TState, TPlan, TInput> {
  readonly #machine: Machine<TState, TPlan, TInput>;
  readonly #timeline: ActiveTimeline;
  #told: number;

  constructor(machine: Machine<TState, TPlan, TInput>, timeline: ActiveTimeline, begin: number) {
    this.#machine = machine;
    this.#timeline = timeline;
    this.#told = timeline.idleBefore(begin);
  }

  takeBefore(state: TState, instant: number): TState {
    const untold = this.#timeline.idleBefore(instant) - this.#told;
    if (untold <= 0) return state;
    this.#told += untold;
    return this.#machine.idle?.(state, untold) ?? state;
  }
}
