// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export { type Analysis, analyzeWorkflow } from './analyze/analyze-workflow.js';
export { describeAnalysis } from './analyze/describe-analysis.js';
export { drawMermaid } from './analyze/draw-mermaid.js';
export type { ConductorLogEvent } from './events/conductor-event.js';
export { conductorEvents } from './events/conductor-events.js';
export { formatOutput } from './format-output.js';
export {
  formatProblem,
  type LoadedDocument,
  type LoadOptions,
  type LoadResult,
  loadDocument,
  type Problem,
  WorkflowInvalid,
} from './load/load-document.js';
export { loadWorkflow, workflowOfRun } from './load-workflow.js';
export type { EnvironmentOptions, ModelChoice, RenderedHook, WorkflowInputs } from './perform/environment.js';
export { type InputText, inputsFromText } from './read-inputs.js';
export { workflowJsonSchema } from './schema/workflow-json-schema.js';
export type { StoredSource, WorkflowRunInput } from './stored-source.js';
export type {
  LoadWorkflowOptions,
  Workflow,
  WorkflowResult,
  WorkflowResumeOptions,
  WorkflowRunOptions,
} from './workflow.js';
