// What only executing a run needs. Loaded with the first run, so that importing the package stays cheap.
export { abandonSegment } from './abandon-segment.js';
export { drive } from './drive.js';
export { makeSettings } from './make-settings.js';
export { resumeRun } from './resume.js';
export { runSegment } from './run-segment.js';
export { startRun } from './start.js';
