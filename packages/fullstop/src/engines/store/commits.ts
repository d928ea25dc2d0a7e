import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { Clock } from '../port/clock.js';
import type { InputOf, Operation, OperationName, Outcome, OutputOf, Store } from './operations.js';
import type { StoreFailure } from './store-failure.js';

/** Something that is asked of the store. */
export interface Pending {
  /** Called when the batch is made, so that it takes along what came up until then. */
  make(): Operation;
  /** True while it may be made although the outcome of an earlier batch is not known; absent where it never may. */
  isIndependent?(): boolean;
  /** Called before the next batch is made, unless that was independent, and before the outcome of anything later is reported. */
  see(outcome: Outcome): void;
  /** Lets the caller continue. */
  settle(outcome: Outcome): void;
}

interface Done {
  readonly pending: Pending;
  readonly outcome: Outcome;
}

/** Most operations of one commit: more would share little, and hold up the event loop for long. */
const mostAtOnce = 256;
/** How long callers may work in one turn of the event loop, in milliseconds; then others get their turn. */
const longestTurn = 2;
const fewAtOnce = 8;

/** Collects what is asked of the store within one turn of the event loop and carries it out with one commit. */
export class Commits {
  readonly #store: Store;
  readonly #clock: Clock | undefined;
  #waiting: Pending[] = [];
  /** Operations that were carried out, and not reported to everyone yet. */
  readonly #done: Done[] = [];
  #scheduled = false;
  #closed = false;
  /** How many batches a thread has; meanwhile others gather for the next one. */
  #underWay = 0;
  /** Settles when the last of them is back. */
  #lastBack: Promise<void> | undefined;

  constructor(store: Store, clock?: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Asks for an operation; `seen` is called before the outcome of anything later is reported. */
  submit<TName extends OperationName>(
    name: TName,
    make: () => InputOf<TName>,
    seen?: (output: OutputOf<TName>) => void,
  ): Promise<OutputOf<TName>> {
    return new Promise((resolve, reject) => {
      this.add({
        make: () => ({ name, input: make() }) as Operation,
        see: (outcome) => {
          if (outcome.ok) seen?.(outcome.value as OutputOf<TName>);
        },
        settle: (outcome) => {
          if (outcome.ok) resolve(outcome.value as OutputOf<TName>);
          else reject(errorOf(outcome.failure));
        },
      });
    });
  }

  ask<TName extends OperationName>(name: TName, input: InputOf<TName>): Promise<OutputOf<TName>> {
    return this.submit(name, () => input);
  }

  add(pending: Pending): void {
    if (this.#closed) {
      pending.settle({ ok: false, failure: closedFailure });
      return;
    }
    this.#waiting.push(pending);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#turn();
    });
  }

  /** One turn: what has gathered is carried out, and callers continue. */
  #turn(): void {
    // A store in the event loop waits until all have continued, so that what they ask for next shares a commit; a thread works meanwhile.
    if (this.#done.length === 0 || this.#store.inThread === true) this.#execute();
    this.#settleUntil(performance.now() + longestTurn);
    if (this.#waiting.length > 0 && this.#underWay === 0) this.#schedule();
  }

  /** Lets callers continue, a few at a time: they have done so, or nearly, before the time is checked again. */
  #settleUntil(end: number): void {
    for (const { pending, outcome } of this.#done.splice(0, fewAtOnce)) pending.settle(outcome);
    if (this.#done.length === 0) return;
    if (performance.now() < end) queueMicrotask(() => this.#settleUntil(end));
    else this.#schedule();
  }

  #execute(): void {
    if (this.#underWay === 0 && this.#waiting.length > 0) this.#executeSome();
    if (this.#canGoAhead()) this.#executeSome();
  }

  /**
   * A thread that has a second batch continues while the outcome of the first one is reported and the next is made. Only a full one,
   * because small batches cost more than the wait for them.
   */
  #canGoAhead(): boolean {
    if (this.#underWay !== 1 || this.#waiting.length < mostAtOnce) return false;
    return this.#waiting.every((pending, index) => index >= mostAtOnce || pending.isIndependent?.() === true);
  }

  #executeSome(): void {
    const batch = this.#waiting.length <= mostAtOnce ? this.#waiting : this.#waiting.slice(0, mostAtOnce);
    this.#waiting = batch === this.#waiting ? [] : this.#waiting.slice(mostAtOnce);
    const outcomes = this.#store.execute(batch.map((pending) => pending.make()));
    if (!(outcomes instanceof Promise)) {
      this.#carriedOut(batch, outcomes);
      return;
    }
    this.#underWay += 1;
    this.#lastBack = (this.#clock?.during?.(outcomes) ?? outcomes).then(
      (settled) => this.#cameBack(batch, settled),
      (error: unknown) => {
        const message = `The thread of the store has ended: ${String(error)}`;
        const failed: Outcome = { ok: false, failure: { code: 'STORE_FAILED', message } };
        this.#cameBack(
          batch,
          batch.map(() => failed),
        );
      },
    );
  }

  #cameBack(batch: readonly Pending[], outcomes: readonly Outcome[]): void {
    this.#underWay -= 1;
    this.#carriedOut(batch, outcomes);
    this.#turn();
  }

  #carriedOut(batch: readonly Pending[], outcomes: readonly Outcome[]): void {
    for (const [index, pending] of batch.entries()) {
      const outcome = outcomes[index] as Outcome;
      pending.see(outcome);
      this.#done.push({ pending, outcome });
    }
  }

  /** Carries out what was asked for and refuses everything after it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#underWay + this.#waiting.length + this.#done.length > 0) {
      await this.#lastBack;
      this.#execute();
      for (const { pending, outcome } of this.#done.splice(0)) pending.settle(outcome);
    }
    await this.#store.close();
  }
}

export function errorOf({ code, message }: StoreFailure): FullstopError {
  return new FullstopError(code, message);
}

const closedFailure: StoreFailure = {
  code: 'STORE_CLOSED',
  message: 'The engine was closed; create a new one to continue.',
};

export function closedError(): FullstopError {
  return errorOf(closedFailure);
}
