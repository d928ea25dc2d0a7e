import type { Clock } from '../port/clock.js';
import type { ProviderLimits } from '../port/provider-gate.js';
import type { StoreEngine } from '../store/engine-options.js';
import type { PayloadCodec } from '../store/payload.js';
import type { GivenPool } from './connection/given-pool.js';

/** How the server is reached: by its address, or by a pool of your own. */
export type PostgresServer =
  | {
      /** Where the server is, such as postgres://user:password@host/database. */
      readonly url: string;
      readonly pool?: never;
      /** How many connections at most besides the one of the session; 10 unless given. */
      readonly connections?: number;
      /** As the package `pg` takes it: true, or the certificates. */
      readonly ssl?: boolean | object;
    }
  | {
      /**
       * A pool of the package `pg`, which is used for statements and never ended. A process that executes runs has one connection besides, made with
       * the pool's options.
       */
      readonly pool: GivenPool;
      readonly url?: never;
      readonly connections?: never;
      readonly ssl?: never;
    };

/** Options of the engine on Postgres. */
export type PostgresEngineOptions = PostgresServer & PostgresSettings;

/** Options of the engine on Postgres, whichever way its server is reached. */
export interface PostgresSettings {
  /** The schema of our tables; `fullstop` unless given. */
  readonly schema?: string;
  /** How long a statement may take; 10,000 milliseconds unless given. */
  readonly statementTimeoutMs?: number;
  /** How long another process may show no sign of life before its runs are taken over; 15,000 unless given. A dead one is seen at once. */
  readonly leaseMs?: number;
  /** How often to look for what others did although nothing was announced; 1,000 unless given. */
  readonly pollMs?: number;
  /**
   * False where connections are shared by transactions, as pgbouncer does: then nothing is prepared, nothing is announced, and a dead process is
   * seen by the end of its lease.
   */
  readonly sessions?: boolean;
  /** Changes what is stored on its way into the store and back, for instance to encrypt it. */
  readonly codec?: PayloadCodec;
  /**
   * Limits for calls of models, by provider, which all processes on this store keep together; give all of them the same. A provider that
   * asks one process to wait is left alone by all of them.
   */
  readonly providerLimits?: ProviderLimits;
  /** The clock of tests, such as `simulatedClock()`; the one of the system unless given. */
  readonly clock?: Clock;
}

/** An engine on a database of Postgres, which many machines share. */
export interface PostgresEngine extends StoreEngine {}
