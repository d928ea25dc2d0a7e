import type { DbosEngine } from 'fullstop/engines/dbos';
import { UsageError } from '../command-line/usage-error.js';
import { type StoreInvocation, withStore } from './open-store.js';

/** Opens a store on Postgres with the schedules that DBOS keeps beside it. */
export async function withSchedules<T>(
  invocation: StoreInvocation,
  work: (engine: DbosEngine) => Promise<T>,
): Promise<T> {
  return withStore(
    invocation,
    'make',
    ({ engine }) => work(engine as DbosEngine),
    async ({ server, file }) => {
      if (server === undefined)
        throw new UsageError(
          `Schedules need a store on Postgres, and ${file} is a file. Name a database with --store or FULLSTOP_STORE.`,
        );
      const { dbosEngine } = await import('fullstop/engines/dbos');
      return dbosEngine({ url: server });
    },
  );
}
