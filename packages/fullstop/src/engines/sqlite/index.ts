// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../../index.ts" preserve="true" />

export type { PayloadCodec } from './core/payload.js';
export type { DriverName } from './driver/driver.js';
export type { StoreVerification } from './operations.js';
export type { PruneOptions, SqliteEngine, SqliteEngineOptions } from './options.js';
export type { RunChanges } from './run-changes.js';
export type { KindTally, NameTally, RunTally, TallyOptions } from './run-tally.js';
export { sqliteEngine } from './sqlite-engine.js';
