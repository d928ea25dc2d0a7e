export type { ContinueOptions, Ended, EndedRun, EndingOptions, Streaming } from '../core/ended.js';
export type { AiSdkAgentEnding, AiSdkBaseKind, AiSdkEnding, AiSdkOptionKind } from './kinds.js';
export { namePredicate } from './stop-predicates.js';
export type { AiAgent, AiFunction, AiStreamAgent, AiStreamFunction } from './with-ending.js';
export { resumeWithEnding, streamWithEnding, withEnding } from './with-ending.js';
