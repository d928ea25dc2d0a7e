// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../../index.ts" preserve="true" />

export type { FollowEntries, PruneOptions, RunCopy, StoreEngine } from '../store/engine-options.js';
export { type EnvironmentOptions, engineFromEnvironment } from './engine-from-environment.js';
export { type StorePlace, storePlace, storeVariable, usualStore } from './store-place.js';
