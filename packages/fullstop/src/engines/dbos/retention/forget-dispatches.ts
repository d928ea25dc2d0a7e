import type { PostgresStore } from '../../postgres/postgres-store.js';
import type { Tables } from '../dispatch-queries.js';
import { dispatchTable, isMade } from '../made-table.js';
import { awaitTurn, findDispatches, removeWorkflows } from './retention-queries.js';

/**
 * Removes what DBOS keeps of the dispatches of runs that are gone. Where the role may not, or one is still under way, they go when they are old
 * enough.
 */
export async function forgetDispatches(store: PostgresStore, tables: Tables, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  await store.ask(async (sql) => {
    if (!(await isMade(sql, tables.dbosSchema, { ...dispatchTable, rights: ['SELECT', 'DELETE'] }))) return;
    await awaitTurn(sql, tables);
    await removeWorkflows(sql, tables, await findDispatches(sql, tables, runIds));
  });
}
