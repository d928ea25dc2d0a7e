// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../../index.ts" preserve="true" />

export type { GivenClient, GivenPool, GivenPoolOptions } from '../postgres/connection/given-pool.js';
export type { ClientLike } from '../postgres/connection/sql.js';
export type { PostgresServer, PostgresSettings } from '../postgres/options.js';
export type { FollowEntries, PruneOptions, StoreEngine } from '../store/engine-options.js';
export type { StoredEntry, StoreVerification } from '../store/operations.js';
export type { PayloadCodec } from '../store/payload.js';
export type { RunChanges } from '../store/run-changes.js';
export type { KindTally, NameTally, RunTally, TallyOptions } from '../store/tally/run-tally.js';
export { dbosEngine } from './dbos-engine.js';
export type {
  DbosEngine,
  DbosEngineOptions,
  DbosSettings,
  QueueLimits,
  QueueRate,
  RunPlace,
  UnservedRuns,
} from './options.js';
export type { Schedulable, Schedule, ScheduleOptions } from './schedules/options.js';
