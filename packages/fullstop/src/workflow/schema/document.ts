import type { RecordOf } from './field.js';
import type { PartRecords } from './record-types.js';
import type { forEachGroup } from './records.js';
import type { AgentStep } from './steps/agent.js';
import type { ConvergenceStep } from './steps/convergence.js';
import type { HumanGateStep } from './steps/human-gate.js';
import type { PipelineStep } from './steps/pipeline.js';
import type { QuestionsStep } from './steps/questions.js';
import type { ScriptStep } from './steps/script.js';
import type { SetStep } from './steps/set.js';
import type { TerminateStep } from './steps/terminate.js';
import type { WaitStep } from './steps/wait.js';
import type { WorkflowStep } from './steps/workflow.js';
import type { root } from './workflow-records.js';

/** One entry of `agents:`, distinguished by `type`. */
export type Step =
  | AgentStep
  | ScriptStep
  | SetStep
  | WaitStep
  | HumanGateStep
  | QuestionsStep
  | WorkflowStep
  | TerminateStep
  | PipelineStep
  | ConvergenceStep;

/** The names that a step's `type` may have. */
export type StepTypeName = Step['type'];

/** Every record, those that hold steps included. */
export interface DocumentRecords extends PartRecords {
  readonly Step: Step;
  readonly ForEachGroup: ForEachGroup;
}

export type ForEachGroup = RecordOf<typeof forEachGroup, DocumentRecords>;

/** A workflow file as loaded: keys as in the file, defaults filled in, null as absent, maps in the order of the file. */
export type WorkflowDocument = RecordOf<typeof root, DocumentRecords>;
