import type { PostgresStore } from '../../postgres/postgres-store.js';
import type { Tables } from '../dispatch-queries.js';
import { beginning, findAged, type Place, removeWorkflows, tryTurn } from './retention-queries.js';

export interface RetentionParts {
  readonly store: PostgresStore;
  readonly tables: Tables;
  readonly keepDispatchesMs: number;
  onError(error: Error): void;
}

/** How many workflows are looked at with one transaction. */
const atOnce = 500;
/** How long after one look the next one comes: while there is more, and otherwise. */
const nextMs = 1000;
const restMs = 60_000;

/**
 * Removes what DBOS keeps of dispatches and ticks that ended long ago, which it would keep for ever: a little at a time, beside the work of a worker,
 * and only one of all workers at a time.
 */
export class Retention {
  readonly #parts: RetentionParts;
  #place: Place = beginning;
  #nextAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #isStopped = false;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** To be called whenever a worker looks for work. Whoever calls does not wait for it. */
  look(): void {
    this.#isStopped = false;
    if (this.#isLooking || performance.now() < this.#nextAt) return;
    this.#isLooking = true;
    void this.#lookOnce()
      .catch((error: unknown) => {
        this.#nextAt = performance.now() + restMs;
        if (!this.#isStopped) this.#parts.onError(error instanceof Error ? error : new Error(String(error)));
      })
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** A removal that is under way when the last worker stops may fail, because its connections are closed. */
  stop(): void {
    this.#isStopped = true;
  }

  async #lookOnce(): Promise<void> {
    const { store, tables, keepDispatchesMs: keepMs } = this.#parts;
    const next = await store.ask(async (sql) => {
      if (!(await tryTurn(sql, tables))) return undefined;
      const aged = await findAged(sql, tables, { after: this.#place, keepMs, limit: atOnce });
      await removeWorkflows(sql, tables, aged.ids);
      return aged.next;
    });
    if (next !== undefined) this.#place = next;
    this.#nextAt = performance.now() + (next === undefined ? restMs : nextMs);
  }
}
