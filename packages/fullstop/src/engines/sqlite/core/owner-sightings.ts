import { performance } from 'node:perf_hooks';

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
  readonly #givenTime: boolean;

  /** With `givenTime` the time passes as the questions say; otherwise it is read here, after the look. */
  constructor({ givenTime = false }: { readonly givenTime?: boolean } = {}) {
    this.#givenTime = givenTime;
  }

  /**
   * Milliseconds for which an owner has been seen to show no sign of life. `asked` is the steady time of the question, which may
   * have waited: whoever counted from there would count time in which the owner was not looked at.
   */
  silenceOf(owner: string, beat: number, asked: number): number {
    const monotonic = this.#givenTime ? asked : performance.now();
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
