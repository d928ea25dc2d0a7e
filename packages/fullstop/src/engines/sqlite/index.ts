// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../../index.ts" preserve="true" />

export type { FollowEntries, PruneOptions, RunCopy, StoreEngine } from '../store/engine-options.js';
export { type LeftRun, type MoveReport, moveStore } from '../store/moving/move-store.js';
export type {
  RunBelongings,
  RunErasure,
  RunLetter,
  SealReceipt,
  StoredEntry,
  StoreVerification,
} from '../store/operations.js';
export type { PayloadCodec } from '../store/payload.js';
export type { RunChanges } from '../store/run-changes.js';
export type { KindTally, NameTally, RunTally, TallyOptions } from '../store/tally/run-tally.js';
export type { DriverName } from './driver/driver.js';
export type { SqliteEngine, SqliteEngineOptions } from './options.js';
export { sqliteEngine } from './sqlite-engine.js';
