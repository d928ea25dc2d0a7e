/** The right to work, which its holder may give back for a while. */
export interface Permit {
  giveBack(): void;
  /** Waits in line if need be. Does nothing for one who has it. */
  take(): Promise<void>;
  /** Returns it for good. */
  release(): void;
}

/** Lets so many run at once; the rest wait in line. */
export class Permits {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Does work once there is a permit for it, and hands the permit on when it ends or gives it back. */
  async hold<TResult>(work: (permit: Permit) => TResult | Promise<TResult>): Promise<TResult> {
    const permit = await this.acquire();
    try {
      return await work(permit);
    } finally {
      permit.release();
    }
  }

  /** A permit, as soon as there is one. */
  async acquire(): Promise<Permit> {
    const permit = this.#permit();
    await permit.take();
    return permit;
  }

  #permit(): Permit {
    let [held, over] = [false, false];
    const giveBack = (): void => {
      if (held) this.#giveBack();
      held = false;
    };
    return {
      giveBack,
      take: async () => {
        if (held || over) return;
        await this.#take();
        held = true;
        if (over) giveBack();
      },
      release: () => {
        over = true;
        giveBack();
      },
    };
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
