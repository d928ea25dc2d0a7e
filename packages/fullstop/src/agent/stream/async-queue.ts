/** A queue that one side fills as items come and the other empties when it can. */
export class AsyncQueue<T> implements AsyncIterableIterator<T, undefined> {
  readonly #items: T[] = [];
  readonly #takers: ((taken: IteratorResult<T, undefined>) => void)[] = [];
  readonly #onReturn: () => void;
  #closed = false;

  constructor(onReturn: () => void = () => undefined) {
    this.#onReturn = onReturn;
  }

  get size(): number {
    return this.#items.length;
  }

  push(item: T): void {
    if (this.#closed) return;
    const taker = this.#takers.shift();
    if (taker === undefined) this.#items.push(item);
    else taker({ done: false, value: item });
  }

  /** Removes the oldest item. */
  drop(): T | undefined {
    return this.#items.shift();
  }

  /** Its items can still be read. */
  close(): void {
    this.#closed = true;
    for (const taker of this.#takers.splice(0)) taker({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#items.length > 0) return Promise.resolve({ done: false, value: this.#items.shift() as T });
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#items.length = 0;
    this.close();
    this.#onReturn();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
