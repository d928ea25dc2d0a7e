import type pg from 'pg';
import type { GivenPool } from '../../packages/fullstop/src/engines/postgres/index.js';

export interface Breaks {
  /** True while nothing reaches the server. */
  isAway?(): boolean;
  /** Whether the answer to a statement that was carried out is lost. */
  isLost(text: string): boolean;
}

type Query = Parameters<GivenPool['query']>[0];

/** A pool whose connections break, before or after a statement was carried out. */
export function breakingPool(pool: pg.Pool, { isAway, isLost }: Breaks): GivenPool & { end(): Promise<void> } {
  const broken = (): Error => Object.assign(new Error('broken on purpose'), { code: 'ECONNRESET' });
  const queryOf = (client: pg.Pool | pg.PoolClient) => async (query: Query) => {
    if (isAway?.()) throw broken();
    const result = await client.query(query as pg.QueryConfig);
    if (isLost(query.text)) throw broken();
    return result;
  };
  return {
    options: pool.options as NonNullable<GivenPool['options']>,
    on: () => undefined,
    off: () => undefined,
    query: queryOf(pool),
    connect: async () => {
      const client = await pool.connect();
      return {
        on: () => undefined,
        off: () => undefined,
        release: (destroy?: boolean) => client.release(destroy),
        query: queryOf(client),
      };
    },
    end: () => pool.end(),
  };
}
