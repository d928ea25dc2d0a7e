import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { type Engine, RunIdConflict } from '../../port/engine.js';
import type { PostgresStore } from '../../postgres/postgres-store.js';
import { findLostTicks, type Tables } from '../dispatch-queries.js';
import type { DbosClass } from '../sdk.js';
import { type TickContext, tickStart } from './tick.js';

export interface LostTicksParts {
  readonly engine: Engine;
  readonly store: PostgresStore;
  readonly tables: Tables;
  onError(error: Error): void;
}

/** How long after one look the next one is worth it. */
const betweenMs = 3000;

/**
 * DBOS queues a tick for the newest version of the application, which may have no process, or only one of another store. Then whoever has the
 * store starts the run instead, which has the same id whoever starts it.
 */
export class LostTicks {
  readonly #parts: LostTicksParts;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: LostTicksParts) {
    this.#parts = parts;
  }

  async start(dbos: DbosClass): Promise<void> {
    if (performance.now() < this.#lookedAt + betweenMs) return;
    this.#lookedAt = performance.now();
    const { store, tables } = this.#parts;
    for (const id of await store.askOnce((sql) => findLostTicks(sql, tables))) await this.#startOne(dbos, id);
  }

  async #startOne(dbos: DbosClass, id: string): Promise<void> {
    const { engine, onError } = this.#parts;
    const [at, context] = ((await dbos.getWorkflowStatus(id))?.input ?? []) as readonly [Date?, TickContext?];
    try {
      if (at !== undefined && context !== undefined) await engine.start(tickStart(context, at));
    } catch (error) {
      // Its run is there, with the input of that time.
      if (!(error instanceof RunIdConflict)) {
        if (FullstopError.is(error) && error.code.startsWith('STORE_')) throw error;
        onError(error as Error);
      }
    }
    await dbos.deleteWorkflows([id]);
  }
}
