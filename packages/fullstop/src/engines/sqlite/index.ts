export type { PayloadCodec } from './core/payload.js';
export type { DriverName } from './driver.js';
export type { Verification } from './operations.js';
export type { PruneOptions, SqliteEngine, SqliteEngineOptions } from './options.js';
export { sqliteEngine } from './sqlite-engine.js';
