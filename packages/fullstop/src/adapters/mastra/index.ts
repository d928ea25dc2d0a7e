export type { ContinueOptions, Ended, EndedRun, EndingOptions, Streaming } from '../core/ended.js';
export type { GeneratingAgent, MastraEnding, MastraKind, StreamingAgent } from './with-ending.js';
export { resumeWithEnding, streamWithEnding, withEnding } from './with-ending.js';
