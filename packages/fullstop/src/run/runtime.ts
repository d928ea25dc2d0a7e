// What only executing a run needs. Loaded with the first run, so that importing the package stays cheap.
export { abandonSegment } from './ending/abandon-segment.js';
export { drive } from './machine/drive.js';
export { makeSettings } from './make-settings.js';
export { resumeRun } from './segment/resume.js';
export { runSegment } from './segment/run-segment.js';
export { startRun } from './segment/start.js';
