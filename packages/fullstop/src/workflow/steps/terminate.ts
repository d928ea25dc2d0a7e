import { applyExplicitEnd } from '../machine/explicit-end.js';
import { StepProblem } from '../machine/step-problem.js';
import { terminateWorkflow } from '../perform/terminate.js';
import { type TerminateStep, terminateShape } from '../schema/steps/terminate.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, usualMachine } from './usual-parts.js';

const statuses = ['success', 'failed'] as const;

export const terminateType: StepTypeRow = stepTypeRow<TerminateStep>({
  shape: terminateShape,
  graph: { edges: () => [], runsFile: () => undefined, hasOwnEnding: false },
  analysis: {
    ...quietAnalysis,
    endsWorkflow: ({ status, output_template: output }) => ({
      statuses: statuses.filter((each) => status === each || status.includes('{')),
      usesWorkflowOutput: output === undefined,
    }),
    draw({ name, type, status }) {
      const look = statuses.find((each) => each === status);
      const caption = `${type} · ${status}`;
      return { box: 'hexagon', label: `${name}: ${status}`, caption, ...(look !== undefined && { look }) };
    },
  },
  machine: { ...usualMachine, effect: 'record', apply: applyExplicitEnd },
  performer: {
    effect: 'record',
    record: terminateWorkflow,
    performMember({ name }) {
      const message = `The terminate step '${name}' cannot be a member of a group; route to it from the group`;
      throw new StepProblem('ExecutionError', message);
    },
  },
  progress: { showsCompletion: false },
  // The machine observes explicit ends itself.
  events: {},
});
