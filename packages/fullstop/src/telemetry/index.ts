// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export { instrument } from './instrument.js';
export type { RunType, TelemetryOptions } from './options.js';
export { projectJournal } from './project-journal.js';
export type { ObservedSegment } from './run-observer.js';
export { createTelemetry, type SegmentObserver, type Telemetry } from './telemetry.js';
