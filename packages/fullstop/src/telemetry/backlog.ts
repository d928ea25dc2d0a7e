import { nextTurn } from '../run/next-turn.js';

/** How many pieces of work are done in one turn of the event loop. */
const perTurn = 256;

/** Work that is done when the program has a moment, in the order it came in: following a run must not slow it down. */
export class Backlog {
  #work: (() => void)[] = [];
  #next = 0;
  #scheduled = false;

  add(work: () => void): void {
    this.#work.push(work);
    this.#schedule();
  }

  /** Does everything now. */
  drain(most: number = Number.POSITIVE_INFINITY): void {
    for (let done = 0; done < most && this.#next < this.#work.length; done += 1) {
      const work = this.#work[this.#next] as () => void;
      this.#next += 1;
      try {
        work();
      } catch {
        // A fault of telemetry must never be one of the program, and there is nobody to tell: this is what would tell.
      }
    }
    if (this.#next < this.#work.length) return;
    this.#work = [];
    this.#next = 0;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    nextTurn(() => {
      this.#scheduled = false;
      this.drain(perTurn);
      if (this.#work.length > 0) this.#schedule();
    });
  }
}
