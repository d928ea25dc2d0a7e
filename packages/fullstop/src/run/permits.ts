/** Lets so many run at once; the rest wait in line. */
export class Permits {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** The same function, which takes a permit before it begins and hands it on when it ends. */
  guard<TInput, TResult>(work: (input: TInput) => TResult | Promise<TResult>): (input: TInput) => Promise<TResult> {
    return async (input) => {
      await this.#take();
      try {
        return await work(input);
      } finally {
        this.#giveBack();
      }
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
