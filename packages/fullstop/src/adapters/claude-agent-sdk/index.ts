export type { ContinueOptions, Ended, EndedRun, EndingOptions, Streaming } from '../core/ended.js';
export type { ClaudeAgentEnding, ClaudeAgentKind, QueryFunction, ResultOf } from './with-ending.js';
export { resumeWithEnding, streamWithEnding, withEnding } from './with-ending.js';
