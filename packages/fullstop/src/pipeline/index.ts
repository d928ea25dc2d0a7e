export {
  continueOnFailure,
  type EndingPredicate,
  type FallbackOptions,
  fallback,
  type RetryOptions,
  retry,
  timeout,
} from './decorators.js';
export type { Executor, ExecutorCall, Ran, StageCall, StageFunction, StageWork } from './executor.js';
export { type PipelineInput, type PipelineOptions, pipeline } from './pipeline.js';
export type {
  OutputOfStage,
  Phase,
  Pipeline,
  PipelineEnding,
  PipelineResult,
  PipelineResumeOptions,
} from './pipeline-definition.js';
export type { OutputMayBeMissing, PhaseOptions, SharedLimits, Skip, StageOptions } from './stage-options.js';
export type { StageResult } from './stage-result.js';
export type { ExecutorEnding, StageRun, StageView } from './stage-view.js';
export { type EndInside, type Runnable, using } from './using.js';
