import { afterMicrotasks, nextTurn } from './next-turn.js';

/** To be called, in a microtask, when a result is there to be handed over; settles when its turn has come. */
export type Turn = () => Promise<true>;

interface Waiting {
  readonly seq: number;
  /** Set once its result is there. */
  resolve: ((value: true) => void) | undefined;
}

export interface DeliveryListener {
  /** Called in every turn of the event loop that begins with a hand-over. */
  onTurn(): void;
  /** Called when nothing is left to hand over. */
  onIdle(): void;
}

/** So many results in a row are handed over before timers and sockets get a turn of the event loop. */
const mostInARow = 4096;

/**
 * Hands the results of operations to the body one at a time, in the order of their entries, and each only when the body has
 * run as far as it can with those before it. So the body that gets a result is the same whenever it is replayed: the same
 * branch wins a race, draws an id first or takes the next ordinal.
 */
export class Delivery {
  /** In the order of the journal. */
  readonly #waiting: Waiting[] = [];
  readonly #listener: DeliveryListener;
  #scheduled = false;
  #inARow = 0;

  constructor(listener: DeliveryListener) {
    this.#listener = listener;
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && !this.#scheduled;
  }

  /** Takes the place of an entry. */
  reserve(seq: number): Turn {
    const waiting: Waiting = { seq, resolve: undefined };
    const last = this.#waiting.at(-1);
    if (last === undefined || last.seq < seq) this.#waiting.push(waiting);
    else this.#waiting.splice(this.#waiting.findLastIndex((other) => other.seq < seq) + 1, 0, waiting);
    return () =>
      new Promise((resolve) => {
        waiting.resolve = resolve;
        this.#schedule();
      });
  }

  /** The turn of a result that `drive` folds by its place in the journal: none where no other result waits for its own. */
  reserveForFold(seq: number): Turn | undefined {
    return this.idle ? undefined : this.reserve(seq);
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting[0]?.resolve === undefined) return;
    this.#scheduled = true;
    this.#inARow += 1;
    if (afterMicrotasks !== undefined && this.#inARow < mostInARow) afterMicrotasks(this.#handOver);
    else nextTurn(this.#handOverInNewTurn);
  }

  readonly #handOverInNewTurn = (): void => {
    this.#inARow = 0;
    this.#listener.onTurn();
    this.#handOver();
  };

  readonly #handOver = (): void => {
    this.#scheduled = false;
    if (this.#waiting[0]?.resolve !== undefined) this.#waiting.shift()?.resolve?.(true);
    if (this.#waiting.length === 0) this.#listener.onIdle();
    // The body runs with this result first.
    else void Promise.resolve().then(() => this.#schedule());
  };
}
