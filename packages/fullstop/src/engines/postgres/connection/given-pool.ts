import type { TypeParsers } from './open-pool.js';
import type { ClientLike, PoolLike } from './sql.js';

/** A connection of a pool that somebody else made. */
export interface GivenClient extends ClientLike {
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** A pool of the package `pg` that somebody else made and ends. */
export interface GivenPool extends ClientLike {
  connect(): Promise<GivenClient>;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
  /** With these a connection is made that no pool can lend: one that is kept. */
  readonly options?: GivenPoolOptions;
}

/** The options of such a pool, as the package `pg` takes them. */
export interface GivenPoolOptions {
  readonly connectionString?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly password?: unknown;
}

/** The settings that each statement of ours carries, because the connections were made by somebody else. */
export interface StatementSettings {
  readonly types: TypeParsers;
  readonly query_timeout: number;
}

const ignore = (): void => undefined;

/** A pool of somebody else as ours: it is never ended, and its connections are as they were when they are returned. */
export function borrowPool(pool: GivenPool, settings: StatementSettings): PoolLike {
  // A connection that breaks while nobody uses it is replaced by the next one; nobody listening would end the process.
  pool.on('error', ignore);
  return {
    query: (query) => pool.query({ ...query, ...settings }),
    connect: async () => {
      const client = await pool.connect();
      // Whoever uses one that breaks is told by the statement that fails.
      client.on('error', ignore);
      return {
        query: inTurn(client, settings),
        release: (destroy) => {
          client.off('error', ignore);
          client.release(destroy);
        },
      };
    },
    end: async () => {
      pool.off('error', ignore);
    },
  };
}

/** Each statement is sent when the one before it is answered: only connections that were made for it take several at once. */
function inTurn(client: ClientLike, settings: StatementSettings): ClientLike['query'] {
  let last: Promise<unknown> = Promise.resolve();
  return (query) => {
    const answered = last.then(() => client.query({ ...query, ...settings }));
    last = answered.catch(() => undefined);
    return answered;
  };
}

/** The server of a pool as people may see it. */
export function placeOfPool({ options = {} }: GivenPool, placeOf: (url: string) => string): string {
  const { connectionString, host = 'localhost', port = 5432, database } = options;
  if (connectionString !== undefined) return placeOf(connectionString);
  return database === undefined ? 'the server of the given pool' : `${host}:${port}/${database}`;
}
