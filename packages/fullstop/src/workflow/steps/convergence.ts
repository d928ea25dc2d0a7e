import { checkModule } from '../analyze/check-children.js';
import { endAsAgent } from '../events/agent-events.js';
import { moduleStep } from '../perform/units/module-step.js';
import { type ConvergenceStep, convergenceShape } from '../schema/steps/convergence.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, routedGraph, usualMachine } from './usual-parts.js';

export const convergenceType: StepTypeRow = stepTypeRow<ConvergenceStep>({
  shape: convergenceShape,
  graph: { ...routedGraph, hasOwnEnding: true },
  analysis: {
    ...quietAnalysis,
    // What the module asks a person is not known before it runs.
    asks: () => ['decision', 'answer'],
    draw: ({ name, type }) => ({ box: 'slanted', label: `${name}: ${type}` }),
    check: checkModule,
  },
  machine: { ...usualMachine, effect: 'unit' },
  performer: { effect: 'unit', perform: moduleStep },
  progress: { showsCompletion: false },
  events: { ended: endAsAgent },
});
