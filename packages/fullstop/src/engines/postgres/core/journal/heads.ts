/** The end of a run's journal. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

/** A run as one claim has it. */
interface Claimed {
  readonly run: number;
  readonly epoch: number;
}

/**
 * The ends of the journals of the runs that this process executes: nobody else writes to those. A process may lose a run and claim it again while
 * what it did under the first claim is still under way: that drops nothing of the second.
 */
export class Heads {
  readonly #heads = new Map<number, { readonly epoch: number; readonly head: Head }>();

  get(run: number): Head | undefined {
    return this.#heads.get(run)?.head;
  }

  /** A run is handed over to a claim. */
  begin({ run, epoch }: Claimed, head: Head): void {
    this.#heads.set(run, { epoch, head });
  }

  /** Entries were committed; a run that nobody here executes has no head. */
  move(run: number, head: Head): void {
    const known = this.#heads.get(run);
    if (known !== undefined) this.#heads.set(run, { epoch: known.epoch, head });
  }

  /** Others may write to it from now on. */
  drop({ run, epoch }: Claimed): void {
    if ((this.#heads.get(run)?.epoch ?? epoch) <= epoch) this.#heads.delete(run);
  }

  /** The runs that somebody here executes, and the epoch of the claim of each. */
  get claims(): { readonly runs: readonly number[]; readonly epochs: readonly number[] } {
    return { runs: [...this.#heads.keys()], epochs: [...this.#heads.values()].map(({ epoch }) => epoch) };
  }
}
