import type { StepTypeName } from '../schema/document.js';
import { makeStepTable, type StepTable } from '../schema/steps/step-table.js';
import { agentType } from './agent.js';
import { convergenceType } from './convergence.js';
import { humanGateType } from './human-gate.js';
import { pipelineType } from './pipeline.js';
import { questionsType } from './questions.js';
import { scriptType } from './script.js';
import { setType } from './set.js';
import type { StepTypeRow } from './step-type.js';
import { terminateType } from './terminate.js';
import { waitType } from './wait.js';
import { workflowType } from './workflow.js';

/** One row for each type of step that a document may have. */
const rows: Readonly<Record<StepTypeName, StepTypeRow>> = {
  agent: agentType,
  script: scriptType,
  set: setType,
  wait: waitType,
  human_gate: humanGateType,
  questions: questionsType,
  workflow: workflowType,
  terminate: terminateType,
  pipeline: pipelineType,
  convergence: convergenceType,
};

/** The types of step that workflows have unless they are given others. */
export const builtInStepTypes: StepTable<StepTypeRow> = makeStepTable(Object.values(rows));
