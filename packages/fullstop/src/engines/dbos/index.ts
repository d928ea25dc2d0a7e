// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../../index.ts" preserve="true" />

export type { PruneOptions, StoreEngine, VerifiedJournal } from '../store/engine-options.js';
export type { StoredEntry, StoreVerification } from '../store/operations.js';
export type { PayloadCodec } from '../store/payload.js';
export type { RunChanges } from '../store/run-changes.js';
export type { KindTally, NameTally, RunTally, TallyOptions } from '../store/tally/run-tally.js';
export { dbosEngine } from './dbos-engine.js';
export type {
  DbosEngine,
  DbosEngineOptions,
  QueueLimits,
  QueueRate,
  RunPlace,
  UnservedRuns,
} from './options.js';
