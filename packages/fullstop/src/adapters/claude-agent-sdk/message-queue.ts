import type { ClaudeQuery } from './structure.js';

type Turn = IteratorResult<unknown, unknown>;

/** The messages of a query for whoever reads them: heard by us first, in the same order, and nobody waits for the reader. */
export class MessageQueue {
  readonly #ready: (() => Promise<Turn>)[] = [];
  readonly #readers: ((turn: Promise<Turn>) => void)[] = [];
  #end: (() => Promise<Turn>) | undefined;

  push(value: unknown): void {
    this.#offer(() => Promise.resolve({ done: false, value }));
  }

  /** The query ended, with an error where it threw one. */
  close(thrown?: { readonly error: unknown }): void {
    const done: Turn = { done: true, value: undefined };
    this.#end = () => Promise.resolve(done);
    const last = thrown === undefined ? this.#end : () => Promise.reject(thrown.error);
    const [reader] = this.#readers;
    if (reader === undefined) this.#ready.push(last);
    for (const [index, waiting] of this.#readers.entries()) waiting(index === 0 ? last() : Promise.resolve(done));
    this.#readers.length = 0;
  }

  next(): Promise<Turn> {
    const turn = this.#ready.shift() ?? this.#end;
    if (turn !== undefined) return turn();
    return new Promise<Turn>((resolve) => this.#readers.push(resolve));
  }

  #offer(turn: () => Promise<Turn>): void {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#ready.push(turn);
    else reader(turn());
  }
}

/** The query as its reader sees it: the same calls, and its messages from the queue. */
export function readFromQueue(query: ClaudeQuery, queue: MessageQueue, onLeft: () => void): ClaudeQuery {
  const leave = async (value?: unknown): Promise<Turn> => {
    onLeft();
    await query.return?.();
    return { done: true, value };
  };
  const seen: ClaudeQuery = new Proxy(query, {
    get(target, name) {
      if (name === 'next') return () => queue.next();
      if (name === 'return') return leave;
      if (name === Symbol.asyncIterator) return () => seen;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return seen;
}
