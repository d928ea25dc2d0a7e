import { errorOf, type Pending } from './commits.js';
import type { EntryRow, InputOf, Operation, Outcome } from './operations.js';

/** The session whose entries a flush writes. */
export interface FlushOwner {
  /** True while no earlier flush is on its way: if that fails, it must still come before this one. */
  readonly isIdle: boolean;
  /** Hands over what is queued; the flush is on its way from here on. */
  sendOff(flush: Flush): InputOf<'append'>;
  /** Keeps rows that could not be written: they still have to be, and the next commit includes them. */
  takeBack(rows: readonly EntryRow[]): void;
  /** The flush is no longer on its way. */
  arrived(flush: Flush): void;
  /** Abandons the run, because it belongs to another owner. */
  fence(): Error;
}

/** Entries of a run on their way to the store. An object with methods, because every run that waits for its commit has one. */
export class Flush implements Pending {
  readonly done: Promise<void>;
  readonly #owner: FlushOwner;
  #rows: readonly EntryRow[] = [];
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(owner: FlushOwner) {
    this.#owner = owner;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  make(): Operation {
    const input = this.#owner.sendOff(this);
    this.#rows = input.rows;
    return { name: 'append', input };
  }

  isIndependent(): boolean {
    return this.#owner.isIdle;
  }

  see({ ok }: Outcome): void {
    if (!ok) this.#owner.takeBack(this.#rows);
  }

  settle(outcome: Outcome): void {
    this.#owner.arrived(this);
    if (outcome.ok && outcome.value === 'written') {
      this.#resolve();
      return;
    }
    // Whoever asks again instead of waiting hears of it then.
    this.done.catch(() => undefined);
    this.#reject(outcome.ok ? this.#owner.fence() : errorOf(outcome.failure));
  }
}
