import { hostname } from 'node:os';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { guardEngineWith } from '../door/engine-door.js';
import { timerMilliseconds, wholeNumber } from '../port/check-number.js';
import { type Clock, systemClock } from '../port/clock.js';
import type { Engine } from '../port/engine.js';
import { host } from '../port/host.js';
import { checkProviderLimits, type ProviderLimits } from '../port/provider-gate.js';
import { makeProviderGate } from '../sharing/make-provider-gate.js';
import { type MadeEngine, makeStoreEngine } from '../store/make-store-engine.js';
import type { Owner } from '../store/operations.js';
import { plainText } from '../store/payload.js';
import { storeDoor } from '../store/store-door.js';
import { type GivenPool, placeOfPool } from './connection/given-pool.js';
import { type ConnectOptions, openPool, openSession, type ServerPlace } from './connection/open-pool.js';
import { Session } from './connection/session.js';
import { Statements } from './connection/sql.js';
import { placeOf } from './connection/store-error.js';
import type { PostgresEngine, PostgresEngineOptions, PostgresServer, PostgresSettings } from './options.js';
import { postgresSpending } from './postgres-spending.js';
import { PostgresStore } from './postgres-store.js';
import { PostgresProviderLedger } from './provider-ledger.js';

/** The part of a lease in which its owner relies on it; after that it neither begins effects nor waits for those that it began. */
const reliedOn = 2 / 3;

/** The part of a lease in which a transaction may wait for its owner, who may be frozen or cut off. */
const mostIdle = 1 / 3;

/** Keeps runs in a database of Postgres: durable, for any number of processes on any number of machines. */
export function postgresEngine(options: PostgresEngineOptions): PostgresEngine {
  return guardEngineWith(openPostgres(options).engine, storeDoor);
}

/** The parts of an engine on Postgres, for those who put a scheduler in front of it. */
export interface OpenedPostgres extends MadeEngine {
  readonly store: PostgresStore;
  readonly connecting: ConnectOptions;
  readonly schema: string;
}

export function openPostgres(options: PostgresEngineOptions): OpenedPostgres {
  const checked = checkOptions(options);
  const { schema, clock, leaseMs, pollMs, connections, statementTimeoutMs, sessions, codec } = checked;
  const idleTimeoutMs = Math.ceil(leaseMs * mostIdle);
  const server = serverOf(options, sessions);
  const connecting = { server, connections, statementTimeoutMs, idleTimeoutMs, sessions };
  const isBorrowed = 'pool' in server;
  const channel = `fullstop ${schema}`;
  const owner: Owner = {
    id: `${process.pid}_${host.crypto.randomUUID()}`,
    host: hostname(),
    space: '',
    pid: process.pid,
    startedAt: '',
  };
  const session = sessions
    ? new Session({
        open: () => openSession(connecting),
        channel,
        ownerId: owner.id,
        onChange: () => made.watch.look(),
        onLost: () => made.lease.revoke(),
      })
    : undefined;
  const store = new PostgresStore({
    place: isBorrowed ? placeOfPool(server.pool, placeOf) : placeOf(server.url),
    openPool: () => openPool(connecting),
    statements: new Statements(schema, sessions),
    schema,
    channel,
    codec,
    ownerId: owner.id,
    session,
    patienceMs: leaseMs * reliedOn,
    limits: sessions && !isBorrowed ? '' : limitsOf(statementTimeoutMs, idleTimeoutMs),
  });
  const made: MadeEngine = makeStoreEngine({
    name: 'postgres',
    store,
    clock,
    owner,
    encoded: codec !== plainText,
    leaseMs,
    pollMs,
    reliedOn,
  });
  const engine = { ...made.engine, ...sharedBy(store, { owner, limits: options.providerLimits, clock }) };
  return { ...made, engine, store, connecting, schema };
}

interface Sharing {
  readonly owner: Owner;
  readonly limits: ProviderLimits | undefined;
  readonly clock: Clock;
}

/** The limits and accounts that all processes on a store keep together. */
function sharedBy(store: PostgresStore, { owner, limits, clock }: Sharing): Pick<Engine, 'providers' | 'spending'> {
  const spending = postgresSpending(store);
  if (limits === undefined) return { spending };
  return { spending, providers: makeProviderGate(limits, new PostgresProviderLedger(store, owner.id), clock) };
}

/** Limits of one transaction, where the server knows none of the session. */
function limitsOf(statementTimeoutMs: number, idleTimeoutMs: number): string {
  return `; SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`;
}

type CheckedOptions = Required<Omit<PostgresSettings, 'providerLimits'>> & { readonly connections: number };

function checkOptions(options: PostgresEngineOptions): CheckedOptions {
  const { schema = 'fullstop', clock = systemClock, codec = plainText, sessions = true } = options;
  const { leaseMs = 15_000, pollMs = 1000, connections = 10, statementTimeoutMs = 10_000 } = options;
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    throw new FullstopError(
      'INVALID_OPTION',
      `postgresEngine: schema is ${found(schema)}; it must be a name of small letters, digits and _, at most 51 of them.`,
    );
  timerMilliseconds(leaseMs, 'postgresEngine: leaseMs');
  timerMilliseconds(pollMs, 'postgresEngine: pollMs');
  timerMilliseconds(statementTimeoutMs, 'postgresEngine: statementTimeoutMs');
  wholeNumber(connections, 'postgresEngine: connections');
  checkProviderLimits(options.providerLimits ?? {}, 'postgresEngine');
  return { schema, clock, codec, sessions, leaseMs, pollMs, connections, statementTimeoutMs };
}

/** Exactly one of an address and a pool. */
function serverOf(given: PostgresServer, sessions: boolean): ServerPlace {
  const { url, pool, ssl } = given;
  if (url !== undefined && pool !== undefined) throw refusal('both url and pool are given; give one of them.');
  if (pool !== undefined) return { pool: checkPool(given, sessions) };
  if (url === undefined) throw refusal('neither url nor pool is given; give one of them.');
  if (typeof url !== 'string' || !/^postgres(ql)?:\/\//.test(url))
    throw refusal(`url is ${typeof url === 'string' ? 'a text' : found(url)}; it must begin with postgres://.`);
  return { url, ssl };
}

function checkPool(
  { pool, connections, ssl }: Extract<PostgresServer, { pool: object }>,
  sessions: boolean,
): GivenPool {
  if (typeof pool.connect !== 'function' || typeof pool.query !== 'function')
    throw refusal(`pool is ${found(pool)}; it must be a pool of the package pg: new pg.Pool({ connectionString }).`);
  if (connections !== undefined || ssl !== undefined)
    throw refusal('connections and ssl belong to url; a pool has its own: give them to the pool (max, ssl).');
  if (sessions && (typeof pool.options !== 'object' || pool.options === null))
    throw refusal(
      'pool has no options, and the one connection that a worker keeps is made with them. Give a pool of the package pg, url, or sessions: false.',
    );
  return pool;
}

function refusal(message: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `postgresEngine: ${message}`);
}
