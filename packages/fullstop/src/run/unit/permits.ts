/** The right to work, which its holder may return for a while. */
export interface Permit {
  giveBack(): void;
  /** Waits in line if need be. Does nothing for one who has it. */
  take(): Promise<void>;
  /** Returns it for good. */
  release(): void;
}

/** Bounds how many run at once; the rest wait in line. */
export class Permits {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Does work once there is a permit for it, and passes the permit on when the work ends or returns it. */
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
    const returnPermit = (): void => {
      if (held) this.#giveBack();
      held = false;
    };
    return {
      giveBack: returnPermit,
      take: async () => {
        if (held || over) return;
        await this.#take();
        held = true;
        if (over) returnPermit();
      },
      release: () => {
        over = true;
        returnPermit();
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
