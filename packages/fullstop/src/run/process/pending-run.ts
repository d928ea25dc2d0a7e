import type { Engine } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { CancelRequest } from '../../engines/port/journal-entry.js';
import { type ActiveRun, isExecuted, listPending } from './active-runs.js';

/**
 * A run that this process starts or continues, whether or not a segment of it is being executed at this moment: a signal that comes while
 * it is being started, or between two segments, means it all the same.
 */
export class PendingRun implements ActiveRun {
  readonly runId: string;
  readonly name: string;
  readonly engine: Engine;
  /** Set when it was left to others, so that this process must not execute it. */
  released = false;
  #isBegun = false;
  #request: CancelRequest | undefined;
  #unlist: () => void;
  #result: { readonly envelope: Envelope | undefined } | undefined;
  #finish: ((envelope: Envelope | undefined) => void) | undefined;

  constructor(engine: Engine, { runId, name }: Pick<ActiveRun, 'name' | 'runId'>) {
    this.runId = runId;
    this.name = name;
    this.engine = engine;
    this.#unlist = listPending(this);
  }

  get over(): Promise<Envelope | undefined> {
    if (this.#result !== undefined) return Promise.resolve(this.#result.envelope);
    return new Promise((resolve) => {
      const before = this.#finish;
      this.#finish = (envelope) => {
        before?.(envelope);
        resolve(envelope);
      };
    });
  }

  /** Called when the store has the run, and it can be cancelled there. */
  begin(): void {
    this.#isBegun = true;
    if (this.#request !== undefined) this.#send(this.#request);
  }

  cancel(request: CancelRequest): void {
    this.#request = request;
    if (this.#isBegun) this.#send(request);
  }

  /** Through the store, unless a segment that is being executed hears of it directly. */
  #send(request: CancelRequest): void {
    if (isExecuted(this)) return;
    // Whoever waits for the run learns of a store that fails.
    this.engine.cancel(this.runId, request).catch(() => undefined);
  }

  release(): void {
    this.released = true;
    this.leave(undefined);
  }

  /** It is executed elsewhere: signals to this process are not for it. */
  leave(envelope: Envelope | undefined): void {
    this.#unlist();
    this.#result = { envelope };
    this.#finish?.(envelope);
    this.#finish = undefined;
  }

  /** It may be executed here again. */
  comeBack(): void {
    if (this.released) return;
    this.#result = undefined;
    this.#unlist = listPending(this);
  }
}
