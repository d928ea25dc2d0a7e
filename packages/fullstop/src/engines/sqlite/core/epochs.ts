import type { Connection } from './connection.js';

/** As a number whatever the cell holds: an epoch that nobody has refuses every write. */
const readEpoch = 'SELECT CAST(epoch AS INTEGER) AS epoch FROM runs WHERE id = ?';

/**
 * Knows the epochs of runs. What was read stays true until another connection has committed something, which SQLite shows
 * with one number: so a transaction asks once, however many runs it writes to.
 */
export class Epochs {
  readonly #connection: Connection;
  readonly #known = new Map<number, number>();
  #dataVersion = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Called when a transaction has begun: from now on nobody else can change anything. */
  begin(): void {
    const { dataVersion } = this.#connection;
    if (dataVersion !== this.#dataVersion) this.#known.clear();
    this.#dataVersion = dataVersion;
  }

  /** True while nobody else has taken a run since it was claimed. */
  isCurrent({ run, epoch }: { readonly run: number; readonly epoch: number }): boolean {
    let current = this.#known.get(run);
    if (current === undefined) {
      current = this.#connection.sql<{ epoch: number }>(readEpoch).get(run)?.epoch ?? -1;
      this.#known.set(run, current);
    }
    return current === epoch;
  }

  /** The run has changed hands in this transaction. */
  forget(run: number): void {
    this.#known.delete(run);
  }

  clear(): void {
    this.#known.clear();
  }
}
