import type { PostgresStore } from '../../postgres/postgres-store.js';
import type { Tables } from '../dispatch-queries.js';
import { awaitTurn, findDispatches, mayRemove, removeWorkflows } from './retention-queries.js';

/**
 * Removes what DBOS keeps of the dispatches of runs that are gone. Where the role may not, or one is still under way, they go when they are old
 * enough.
 */
export async function forgetDispatches(store: PostgresStore, tables: Tables, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  await store.ask(async (sql) => {
    if (!(await mayRemove(sql, tables))) return;
    await awaitTurn(sql, tables);
    await removeWorkflows(sql, tables, await findDispatches(sql, tables, runIds));
  });
}
