// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export type { StageResult } from './machine/stage-result.js';
export type {
  ExecutorDetails,
  ExecutorEnding,
  ExecutorIteration,
  ExecutorToolCall,
  StageRun,
  StageView,
} from './machine/stage-view.js';
export type {
  OutputMayBeMissing,
  PhaseOptions,
  SharedLimits,
  SkipStage,
  StageOptions,
} from './options/stage-options.js';
export type {
  Executor,
  ExecutorCall,
  ExecutorResult,
  StageCall,
  StageFunction,
  StageWork,
  WorkOutput,
} from './options/stage-work.js';
export type { WorkRules } from './options/work-rules.js';
export {
  continueOnFailure,
  type EndingPredicate,
  type FallbackOptions,
  fallback,
  type RetryOptions,
  retry,
  timeout,
} from './perform/decorators.js';
export { type Runnable, type RunnableEnd, using } from './perform/using.js';
export { type PipelineInput, type PipelineOptions, pipeline } from './pipeline.js';
export type {
  OutputOfStage,
  Phase,
  Pipeline,
  PipelineEnding,
  PipelineResult,
  PipelineResumeOptions,
} from './pipeline-definition.js';
