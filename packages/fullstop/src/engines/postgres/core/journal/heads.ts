/** The end of a run's journal. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

/** The ends of the journals of the runs that this process executes: nobody else writes to those. */
export class Heads {
  readonly #heads = new Map<number, Head>();

  get(run: number): Head | undefined {
    return this.#heads.get(run);
  }

  has(run: number): boolean {
    return this.#heads.has(run);
  }

  set(run: number, head: Head): void {
    this.#heads.set(run, head);
  }

  /** Others may write to it from now on. */
  drop(run: number): void {
    this.#heads.delete(run);
  }

  get runs(): readonly number[] {
    return [...this.#heads.keys()];
  }
}
