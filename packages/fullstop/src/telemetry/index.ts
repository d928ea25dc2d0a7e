export { instrument } from './instrument.js';
export type { Runtime, TelemetryOptions } from './options.js';
export { projectJournal } from './project-journal.js';
export type { ObservedSegment } from './run-observer.js';
export { createTelemetry, type SegmentObserver, type Telemetry } from './telemetry.js';
