import type { Ending } from '../../termination/ending.js';
import { checkSubWorkflow } from '../analyze/check-children.js';
import { slotOf, subWorkflowData } from '../events/sub-workflow-data.js';
import { subWorkflow } from '../perform/units/sub-workflow.js';
import { type WorkflowStep, workflowShape } from '../schema/steps/workflow.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, routedGraph, usualMachine } from './usual-parts.js';

export const workflowType: StepTypeRow = stepTypeRow<WorkflowStep>({
  shape: workflowShape,
  graph: { ...routedGraph, runsFile: ({ workflow }) => workflow, hasOwnEnding: true },
  analysis: {
    ...quietAnalysis,
    draw: ({ name, type }) => ({ box: 'slanted', label: `${name}: ${type}` }),
    check: checkSubWorkflow,
  },
  machine: {
    ...usualMachine,
    effect: 'unit',
    limitMs({ workflow }, loaded) {
      const child = loaded.child(workflow);
      const seconds = child.ok ? child.loaded.document.workflow.limits.timeout_seconds : undefined;
      return seconds === undefined ? undefined : seconds * 1000;
    },
    applyUnit(draft, { step, path, result: { termination, output } }) {
      // The other endings a sub-workflow reaches by itself, with an output, and notifies its hook before.
      const isCut = termination.kind === 'time_budget' || (termination.kind === 'cost_budget' && output === undefined);
      if (!isCut) return;
      draft.stopped = [...draft.stopped, { path, step: step.name, termination: termination as Ending }];
    },
  },
  performer: { effect: 'unit', perform: subWorkflow },
  progress: { showsCompletion: true },
  events: {
    isWorkflow: true,
    started: (writer, entry, { workflow, name, iteration }) =>
      writer.write(workflow, entry, 'subworkflow_started', {
        agent_name: name,
        iteration,
        ...subWorkflowData(workflow, name),
      }),
    ended({ unit, output, elapsed, error }) {
      const { workflow, member, iteration } = unit;
      const data = {
        ...(member !== undefined && { agent_name: workflow.at, item_key: member, iteration }),
        elapsed,
        ...(error === undefined ? { output: output ?? null } : { error_type: error.name, message: error.message }),
        parent_path: workflow.slots,
        slot_key: slotOf(unit),
      };
      return { type: error === undefined ? 'subworkflow_completed' : 'subworkflow_failed', data };
    },
  },
});
