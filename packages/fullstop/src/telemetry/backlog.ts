import type { EntryDraft } from '../engines/port/journal-entry.js';
import { nextTurn } from '../run/segment/next-turn.js';

/** How many pieces of work are done in one turn of the event loop. */
const perTurn = 256;

/** Takes entries, one after the other. */
interface Follower {
  entry(entry: EntryDraft): void;
}

type Work = () => void;

/** Work that is done when the program has a moment, in the order it came in: following a run must not slow it down. */
export class Backlog {
  #work: (Work | EntryDraft)[] = [];
  /** Whose entry a piece of work is, in the same place; undefined for any other work. */
  #followers: (Follower | undefined)[] = [];
  #next = 0;
  #scheduled = false;

  add(work: Work): void {
    this.#work.push(work);
    this.#followers.push(undefined);
    this.#schedule();
  }

  /** Puts off the notice of an entry; there is one for every single entry, so nothing is made for it. */
  notify(follower: Follower, entry: EntryDraft): void {
    this.#work.push(entry);
    this.#followers.push(follower);
    this.#schedule();
  }

  /** Does everything now. */
  drain(most: number = Number.POSITIVE_INFINITY): void {
    for (let done = 0; done < most && this.#next < this.#work.length; done += 1) {
      const work = this.#work[this.#next];
      const follower = this.#followers[this.#next];
      this.#next += 1;
      try {
        if (follower === undefined) (work as Work)();
        else follower.entry(work as EntryDraft);
      } catch {
        // A fault of telemetry must never be one of the program, and there is nothing left to report it with.
      }
    }
    if (this.#next < this.#work.length) return;
    this.#work = [];
    this.#followers = [];
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
