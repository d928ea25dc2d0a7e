import { FullstopError } from '../../../termination/errors/fullstop-error.js';
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
  readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
}

export interface ConnectOptions {
  readonly url: string;
  readonly connections: number;
  readonly statementTimeoutMs: number;
  /** How long a transaction of ours may wait for us: what it locked nobody else can have meanwhile. */
  readonly idleTimeoutMs: number;
  /** False where connections are shared by transactions: then limits are set in each. */
  readonly sessions: boolean;
  readonly ssl?: object | boolean | undefined;
}

const bigint = 20;
/** Milliseconds until a connection must have been made, and until the kernel asks whether the other side is there. */
const connectTimeoutMs = 5000;
const keepAliveMs = 2000;

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

function configOf(pg: PgModule, { url, statementTimeoutMs, idleTimeoutMs, sessions, ssl }: ConnectOptions): object {
  // Every number of ours is below 2^53.
  const getTypeParser = (oid: number, format?: string): ((text: string) => unknown) =>
    oid === bigint && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format);
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    ...(sessions && {
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleTimeoutMs,
    }),
    // A server that is gone without a word answers no statement; its own limit cannot end that.
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    application_name: 'fullstop',
    types: { getTypeParser },
    ...(ssl !== undefined && { ssl }),
  };
}

export async function openPool(options: ConnectOptions): Promise<PoolLike> {
  const pg = await loadPg();
  const pool = new pg.Pool({
    ...configOf(pg, options),
    max: options.connections,
    allowExitOnIdle: true,
    pipeline: true,
  });
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
