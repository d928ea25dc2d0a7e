interface Sighting {
  readonly beat: number;
  /** When it was looked at last, by the steady clock of this process. */
  at: number;
  /** How long it has not changed. */
  silence: number;
}

/** Counted at most between two looks: an observer that was frozen itself has seen nothing meanwhile. */
const longestLook = 2000;

/**
 * How long the signs of life of other owners have not changed, as this process has seen it. Nothing is compared with the time
 * that another process wrote down, so that it does not matter how the clocks of either are set.
 */
export class OwnerSightings {
  readonly #seen = new Map<string, Sighting>();

  /** Milliseconds for which an owner has been seen to show no sign of life. */
  silenceOf(owner: string, beat: number, monotonic: number): number {
    const known = this.#seen.get(owner);
    if (known === undefined || known.beat !== beat) {
      this.#seen.set(owner, { beat, at: monotonic, silence: 0 });
      return 0;
    }
    known.silence += Math.min(Math.max(monotonic - known.at, 0), longestLook);
    known.at = Math.max(known.at, monotonic);
    return known.silence;
  }

  /** Forgets everyone else: those have left. */
  keepOnly(owners: readonly (string | null)[]): void {
    for (const owner of this.#seen.keys()) if (!owners.includes(owner)) this.#seen.delete(owner);
  }
}
