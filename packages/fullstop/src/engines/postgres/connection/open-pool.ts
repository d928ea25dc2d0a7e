import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { borrowPool, type GivenPool } from './given-pool.js';
import type { ClientLike, PoolLike } from './sql.js';

/** A connection that is kept, for locks and notifications that belong to a session. */
export interface SessionClient extends ClientLike {
  connect(): Promise<void>;
  end(): Promise<void>;
  on(event: 'error' | 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown;
  /** Whether an idle connection keeps the process alive. */
  ref(): void;
  unref(): void;
}

/** The part of the package `pg` that we use. */
interface PgModule {
  readonly Pool: new (
    config: object,
  ) => PoolLike & {
    on(event: 'error', listener: () => void): unknown;
    on(event: 'connect', listener: (client: SessionClient) => void): unknown;
  };
  readonly Client: new (config: object) => SessionClient;
  readonly types: TypeParsers;
}

/** How the text of a column becomes a value. */
export interface TypeParsers {
  getTypeParser(oid: number, format?: string): (text: string) => unknown;
}

/** Where the server is: an address, or the pool of somebody else. */
export type ServerPlace =
  | { readonly url: string; readonly ssl?: object | boolean | undefined }
  | { readonly pool: GivenPool };

export interface ConnectOptions {
  readonly server: ServerPlace;
  readonly connections: number;
  readonly statementTimeoutMs: number;
  /** How long a transaction of ours may wait for us: what it locked nobody else can have meanwhile. */
  readonly idleTimeoutMs: number;
  /** False where connections are shared by transactions: then limits are set in each. */
  readonly sessions: boolean;
}

const bigint = 20;
/** Milliseconds until a connection must have been made, and until the kernel asks whether the other side is there. */
const connectTimeoutMs = 5000;
const keepAliveMs = 2000;
const foreignIdleMs = 60_000;

async function loadPg(): Promise<PgModule> {
  const loaded = await import('pg').catch((error: unknown) => {
    throw missing(error);
  });
  return (loaded as unknown as { readonly default: PgModule }).default;
}

function missing(cause: unknown): FullstopError {
  return new FullstopError(
    'STORE_DRIVER_MISSING',
    'The engine on Postgres needs the package pg, which is not installed: npm install pg',
    { cause },
  );
}

/** Every number of ours is below 2^53. */
function typesOf({ types }: PgModule): TypeParsers {
  return {
    getTypeParser: (oid, format) => (oid === bigint && format !== 'binary' ? Number : types.getTypeParser(oid, format)),
  };
}

/** How a connection is made, whoever uses it. */
function reachOf(server: ServerPlace): object {
  const kept = { connectionTimeoutMillis: connectTimeoutMs, keepAlive: true, keepAliveInitialDelayMillis: keepAliveMs };
  if ('url' in server)
    return { ...kept, connectionString: server.url, ...(server.ssl !== undefined && { ssl: server.ssl }) };
  const { options = {} } = server.pool;
  // Pools hide the password from whoever lists their options.
  return { ...kept, ...options, ...(options.password !== undefined && { password: options.password }) };
}

function configOf(pg: PgModule, options: ConnectOptions): object {
  const { server, statementTimeoutMs, idleTimeoutMs, sessions } = options;
  return {
    ...reachOf(server),
    ...(sessions && {
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleTimeoutMs,
    }),
    query_timeout: queryTimeoutOf(options),
    application_name: 'fullstop',
    types: typesOf(pg),
  };
}

/** A server that is gone without a word answers no statement; its own limit cannot end that. */
function queryTimeoutOf({ statementTimeoutMs }: ConnectOptions): number {
  return statementTimeoutMs + connectTimeoutMs;
}

export async function openPool(options: ConnectOptions): Promise<PoolLike> {
  const pg = await loadPg();
  const { server, connections } = options;
  if ('pool' in server) return borrowPool(server.pool, { types: typesOf(pg), query_timeout: queryTimeoutOf(options) });
  return makePool(pg, { ...configOf(pg, options), max: connections, pipeline: true });
}

/** A pool for another program, which has statements and limits of its own. It may hold a transaction no longer than a minute. */
export async function openForeignPool({ server }: ConnectOptions, connections: number): Promise<PoolLike> {
  const config = {
    ...reachOf(server),
    idle_in_transaction_session_timeout: foreignIdleMs,
    application_name: 'fullstop dbos',
    max: connections,
  };
  return makePool(await loadPg(), config);
}

function makePool(pg: PgModule, config: object): PoolLike {
  const pool = new pg.Pool({ ...config, allowExitOnIdle: true });
  // A connection that breaks while nobody uses it is replaced by the next one.
  pool.on('error', () => undefined);
  // Whoever uses one that breaks is told by the statement that fails.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export async function openSession(options: ConnectOptions): Promise<SessionClient> {
  const pg = await loadPg();
  const client = new pg.Client({ ...configOf(pg, options), application_name: 'fullstop session' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
