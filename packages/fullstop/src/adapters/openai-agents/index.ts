export type { ContinueOptions, Ended, EndedRun, EndingOptions, Streaming } from '../core/ended.js';
export type {
  OpenaiAgentsEnding,
  OpenaiAgentsKind,
  OpenaiAgentsOptions,
  RunFunction,
  RunLike,
  RunnerLike,
} from './with-ending.js';
export { resumeWithEnding, streamWithEnding, withEnding } from './with-ending.js';
