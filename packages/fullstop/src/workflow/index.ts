// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export type { WorkflowAnalysis } from './analyze/analyze-file.js';
export { describeAnalysis } from './analyze/describe-analysis.js';
export { drawMermaid } from './analyze/draw-mermaid.js';
export { analyzeWorkflow } from './analyze-workflow.js';
export { conductorEvents } from './conductor-events.js';
export type { ConductorLogEvent } from './events/conductor-event.js';
export { formatOutput } from './format-output.js';
export {
  formatProblem,
  type LoadedDocument,
  type LoadOptions,
  type LoadResult,
  loadDocument,
  WorkflowInvalid,
  type WorkflowProblem,
} from './load/load-document.js';
export { loadWorkflow, workflowOfRun } from './load-workflow.js';
export type { EnvironmentOptions, ModelChoice, RenderedHook, WorkflowInputs } from './perform/environment.js';
export { type InputText, inputsFromText } from './read-inputs.js';
export type { StoredSource, WorkflowRunInput } from './run-input.js';
export { type StepTypeFacts, stepTypeFacts } from './step-type-facts.js';
export type {
  LoadWorkflowOptions,
  Workflow,
  WorkflowResult,
  WorkflowResumeOptions,
  WorkflowRunOptions,
} from './workflow.js';
export { workflowJsonSchema } from './workflow-json-schema.js';
