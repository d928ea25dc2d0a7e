export type { PayloadCodec } from './core/payload.js';
export type { DriverName } from './driver.js';
export type { Verification } from './operations.js';
export type { PruneOptions, SqliteEngine, SqliteEngineOptions } from './options.js';
export type { KindTally, RunTally, TallyOptions } from './run-tally.js';
export { sqliteEngine } from './sqlite-engine.js';
