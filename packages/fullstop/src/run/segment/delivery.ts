import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { nextTurn } from './next-turn.js';

interface Waiting {
  readonly seq: number;
  ready: boolean;
  go(): void;
}

/** To be called when a result is there to be handed over; settles when its turn has come. */
export type Turn = () => Promise<void>;

export interface DeliveryListener {
  onTurn(): void;
  /** Called when nothing is left to hand over. */
  onIdle(): void;
}

/**
 * Hands the results of operations to the body one at a time, in the order of the journal. A body that does several things
 * at once then goes on in the same order whenever it is replayed: the same branch wins a race, draws an id first or takes
 * the next ordinal.
 */
export class Delivery {
  /** In the order of the journal. */
  readonly #waiting: Waiting[] = [];
  readonly #listener: DeliveryListener;
  /** The place of the last entry that was there before. */
  readonly #last: number;
  /** True until the body has caught up: it may still come to ask for results that the journal holds. */
  #catchingUp: boolean;
  #turning = false;

  constructor(history: readonly JournalEntry[], listener: DeliveryListener) {
    this.#last = history.at(-1)?.seq ?? 0;
    this.#catchingUp = history.some(({ ordinal }) => ordinal >= 0);
    this.#listener = listener;
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && !this.#turning;
  }

  /** True when a result that comes now is the next one, with nothing before it that the body has not seen. */
  get inStep(): boolean {
    return this.idle && !this.#catchingUp;
  }

  /** Takes the place of an entry. */
  reserve(seq: number): Turn {
    const waiting: Waiting = { seq, ready: false, go: () => undefined };
    const behind = this.#waiting.findLastIndex((other) => other.seq < seq);
    this.#waiting.splice(behind + 1, 0, waiting);
    return () => this.#turnOf(waiting);
  }

  /**
   * Takes the place of an entry that needs no turn so far. What is called when its result is there gives a promise only if
   * something behind it waits by then.
   */
  hold(seq: number): () => Promise<void> | undefined {
    const held: Waiting = { seq, ready: false, go: () => undefined };
    this.#waiting.push(held);
    return () => {
      if (this.#waiting.length === 1 && this.#waiting[0] === held && !this.#turning) {
        this.#waiting.pop();
        return undefined;
      }
      return this.#turnOf(held);
    };
  }

  #turnOf(waiting: Waiting): Promise<void> {
    return new Promise((resolve) => {
      waiting.ready = true;
      waiting.go = resolve;
      this.#schedule();
    });
  }

  #handOver(): void {
    const [first] = this.#waiting;
    if (first?.ready !== true) return;
    if (first.seq > this.#last) this.#catchingUp = false;
    this.#waiting.shift();
    first.go();
  }

  /** One result for each turn, so that the body has gone on as far as it can before it gets the next. */
  #schedule(): void {
    if (this.#turning || this.#waiting[0]?.ready !== true) return;
    this.#turning = true;
    nextTurn(() => {
      this.#turning = false;
      this.#listener.onTurn();
      this.#handOver();
      this.#schedule();
      if (this.idle) this.#listener.onIdle();
    });
  }
}
