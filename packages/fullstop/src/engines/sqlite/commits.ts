import { setImmediate } from 'node:timers';
import { FullstopError } from '../../termination/fullstop-error.js';
import type { Clock } from '../port/clock.js';
import type { InputOf, Operation, OperationName, Outcome, OutputOf, Store } from './operations.js';
import type { StoreFailure } from './store-error.js';

interface Pending {
  make(): Operation;
  settle(outcome: Outcome): void;
}

/** Collects what is asked of the store within one turn of the event loop and carries it out with one commit. */
export class Commits {
  readonly #store: Store;
  readonly #clock: Clock | undefined;
  #waiting: Pending[] = [];
  #scheduled = false;
  #closed = false;
  #idle: Promise<void> | undefined;

  constructor(store: Store, clock?: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Asks for an operation. Its input is made when the batch is, so that it takes along what came up until then; `seen` is
   * called before anything else in the batch is settled that came later.
   */
  submit<TName extends OperationName>(
    name: TName,
    make: () => InputOf<TName>,
    seen?: (output: OutputOf<TName>) => void,
  ): Promise<OutputOf<TName>> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(closedError());
        return;
      }
      this.#waiting.push({
        make: () => ({ name, input: make() }) as Operation,
        settle: (outcome) => {
          if (!outcome.ok) {
            reject(errorOf(outcome.failure));
            return;
          }
          const value = outcome.value as OutputOf<TName>;
          seen?.(value);
          resolve(value);
        },
      });
      this.#schedule();
    });
  }

  ask<TName extends OperationName>(name: TName, input: InputOf<TName>): Promise<OutputOf<TName>> {
    return this.submit(name, () => input);
  }

  #schedule(): void {
    if (this.#scheduled || this.#idle !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#execute();
    });
  }

  #execute(): void {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    const outcomes = this.#store.execute(batch.map((pending) => pending.make()));
    if (!(outcomes instanceof Promise)) {
      settleAll(batch, outcomes);
      return;
    }
    // Meanwhile others gather for the next batch.
    this.#idle = (this.#clock?.during?.(outcomes) ?? outcomes).then(
      (settled) => {
        this.#idle = undefined;
        settleAll(batch, settled);
        if (this.#waiting.length > 0) this.#schedule();
      },
      (error: unknown) => {
        this.#idle = undefined;
        const failure: StoreFailure = {
          code: 'STORE_FAILED',
          message: `The thread of the store has ended: ${String(error)}`,
        };
        settleAll(
          batch,
          batch.map(() => ({ ok: false, failure })),
        );
      },
    );
  }

  /** Carries out what was asked for and refuses everything after it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#idle !== undefined || this.#waiting.length > 0) {
      await this.#idle;
      this.#execute();
    }
    await this.#store.close();
  }
}

function settleAll(batch: readonly Pending[], outcomes: readonly Outcome[]): void {
  for (const [index, pending] of batch.entries()) pending.settle(outcomes[index] as Outcome);
}

function errorOf({ code, message }: StoreFailure): FullstopError {
  return new FullstopError(code, message);
}

export function closedError(): FullstopError {
  return new FullstopError('STORE_CLOSED', 'The engine was closed; make a new one to go on.');
}
