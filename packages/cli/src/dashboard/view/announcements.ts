/**
 * Tells announcements of steps that come late. A resume performs the step where the run had stopped, and announces it afterwards: what
 * has ended meanwhile does not run again because of that.
 */
export class Announcements {
  /** Nodes that were announced and have not ended since. */
  readonly #open = new Set<string>();
  /** Nodes that ended before they were announced. */
  readonly #early = new Set<string>();

  /** A segment announces again what it performs. */
  beginSegment(): void {
    this.#open.clear();
    this.#early.clear();
  }

  /** Notes an announcement; false where the node has ended already. */
  announce(node: string): boolean {
    if (this.#early.delete(node)) return false;
    this.#open.add(node);
    return true;
  }

  end(node: string): void {
    if (!this.#open.delete(node)) this.#early.add(node);
  }

  /** The run continued with another step, so the next announcement is that of another visit. */
  leave(node: string): void {
    this.#open.delete(node);
    this.#early.delete(node);
  }
}
