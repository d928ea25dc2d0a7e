import type { Engine, RunSession } from '../../engines/port/engine.js';
import type { ActiveTime } from '../accounts/active-time.js';
import type { RunSettings } from '../settings.js';
import type { OpenRequests } from '../unit/open-requests.js';
import type { Unit } from '../unit/unit.js';
import type { Delivery } from './delivery.js';
import type { ExecutionJournal } from './execution-journal.js';
import type { ExecutionState } from './execution-state.js';
import { nextTurn } from './next-turn.js';

/** The sessions that returned their place; a replay in the same session has none either. */
const aside = new WeakSet<RunSession>();

export interface RestDetectorOptions {
  readonly session: RunSession;
  readonly root: Unit;
  readonly state: ExecutionState;
  readonly journal: ExecutionJournal;
  readonly delivery: Delivery;
  readonly requests: OpenRequests;
  readonly active: ActiveTime;
  readonly engine: Engine;
  readonly settings: RunSettings;
}

/** Finds out when every branch of a run waits, and pauses, parks or releases the run then. */
export class RestDetector {
  readonly #options: RestDetectorOptions;
  readonly #sleeps = new Map<object, number>();
  readonly #deadlines = new Map<object, number>();
  readonly #lullListeners = new Set<() => boolean>();
  /** The operations under way that only wait for other runs. */
  #elsewhere = 0;
  /** Cancels the check that is scheduled. */
  #cancelCheck: (() => void) | undefined;

  constructor(options: RestDetectorOptions) {
    this.#options = options;
  }

  /** Counts an operation of a unit that is under way; the run is at rest only when there is none. */
  begin(unit: Unit): void {
    unit.countOperation(1);
    this.#options.active.resume();
  }

  done(unit: Unit): void {
    unit.countOperation(-1);
    this.check();
  }

  /** A sleep is under way too, but the run may be parked meanwhile. Returns what ends the sleep. */
  beginSleep(unit: Unit, until: number): () => void {
    const token = {};
    this.#sleeps.set(token, until);
    unit.countSleep(1);
    this.check();
    return () => {
      if (!this.#sleeps.delete(token)) return;
      unit.countSleep(-1);
      this.check();
    };
  }

  /** Counts an operation under way as one that only waits for another run. Returns what ends that. */
  beginElsewhere(): () => void {
    this.#elsewhere += 1;
    this.check();
    return () => {
      this.#elsewhere -= 1;
    };
  }

  /** True when the run has returned its place in the queue: whatever is more than waiting for others needs another one. */
  get isAside(): boolean {
    return aside.has(this.#options.session) && this.#options.state.cancelRequest === undefined;
  }

  /** Calls back at an instant; a run that is parked meanwhile is resumed by then. */
  callAtDeadline(instant: number, callback: () => void): () => void {
    const token = {};
    this.#deadlines.set(token, instant);
    const stop = this.#options.engine.clock.callAt(instant, () => {
      this.#deadlines.delete(token);
      callback();
    });
    return () => {
      this.#deadlines.delete(token);
      stop();
    };
  }

  /** Asks the listener, whenever everything that is ready has run, whether it continues with what is there. */
  onLull(listener: () => boolean): () => void {
    this.#lullListeners.add(listener);
    return () => this.#lullListeners.delete(listener);
  }

  /** Checks, after everything that is ready has run, whether all branches wait. */
  check(): void {
    // No closure here: every step checks, and most find a check scheduled already.
    if (this.#cancelCheck === undefined && !this.#options.state.closed)
      this.#cancelCheck = nextTurn(this.#restIfAllWait);
  }

  readonly #restIfAllWait = (): void => {
    const { root, state, delivery } = this.#options;
    this.#cancelCheck = undefined;
    if (state.closed || !delivery.idle) return;
    let continues = false;
    for (const listener of this.#lullListeners) continues = listener() || continues;
    if (continues || state.cancelRequest !== undefined) return;
    if (root.operations === 0) this.#rest();
    else if (root.operations === this.#elsewhere) this.#stepAside();
  };

  /** Whoever only waits for runs that it has spawned must not keep them from their places. */
  #stepAside(): void {
    const { session } = this.#options;
    if (!aside.has(session) && session.stepAside?.() === true) aside.add(session);
  }

  /** Leaves the run to others, as soon as nothing is under way or at once. The reason is journalled. */
  release(reason: string, atOnce: boolean): void {
    const { state, journal } = this.#options;
    if (state.closed || state.cancelRequest !== undefined) return;
    if (!state.releasing)
      journal.append<'observed'>({ type: 'observed', scope: '', ordinal: -1, key: 'released', data: { reason } });
    state.releasing = true;
    if (atOnce) state.settle({ type: 'released' });
    else this.check();
  }

  /** A check that is still scheduled would keep the whole journal until the next turn, and many short runs may end before that. */
  close(): void {
    this.#cancelCheck?.();
  }

  #rest(): void {
    const { state, requests, settings, active } = this.#options;
    if (state.releasing) state.settle({ type: 'released' });
    else if (this.#sleeps.size > 0) this.#parkIfLong();
    else if (requests.size === 0) return;
    else if (settings.onPause === 'end') state.settle({ type: 'paused' });
    else active.pause();
  }

  /** Parks the run until something falls due, if that takes long and the engine keeps it. */
  #parkIfLong(): void {
    const { active, requests, engine, settings, state } = this.#options;
    const instants = [...this.#sleeps.values(), ...this.#deadlines.values(), ...requests.deadlines];
    const wakeAt = instants.reduce(
      (first, each) => Math.min(first, each),
      active.nextAlarm ?? Number.POSITIVE_INFINITY,
    );
    const isLong = wakeAt - engine.clock.now() > settings.parkAfterMs;
    if (engine.durable && isLong) state.settle({ type: 'parked', wakeAt });
  }
}
