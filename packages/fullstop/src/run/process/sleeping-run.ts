import type { Engine, RunSession } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { CancelRequest } from '../../engines/port/journal-entry.js';
import { type ActiveRun, listRun } from './active-runs.js';

/** A run that sleeps in its store while this process waits for it: nobody executes it, but a signal means it all the same. */
export class SleepingRun implements ActiveRun {
  readonly runId: string;
  readonly name: string;
  readonly engine: Engine;
  readonly over: Promise<Envelope | undefined>;
  /** Set when it was left to others, so that this process must not resume it. */
  released = false;
  readonly #segment: number;
  readonly #unlist: () => void;
  #finish: (envelope: Promise<Envelope> | undefined) => void = () => undefined;

  constructor(engine: Engine, session: RunSession) {
    this.runId = session.identity.runId;
    this.name = session.identity.name;
    this.engine = engine;
    this.#segment = session.segment;
    this.over = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#unlist = listRun(this);
  }

  /** Goes through the store: that wakes it, and whoever resumes it ends it. */
  cancel(request: CancelRequest): void {
    const cancelled = this.engine.cancel(this.runId, request);
    const ending = cancelled.then(() => this.engine.waitForEnding(this.runId, this.#segment));
    // Whoever waits for the run learns of a store that fails.
    this.#finish(ending.catch(() => new Promise<never>(() => undefined)));
  }

  release(): void {
    this.released = true;
    this.#finish(undefined);
  }

  leave(): void {
    this.#unlist();
    this.#finish(undefined);
  }
}
