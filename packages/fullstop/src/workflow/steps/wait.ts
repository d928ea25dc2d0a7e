import { failedData } from '../events/agent-events.js';
import { objectOf } from '../events/described-workflow.js';
import { waitStep } from '../perform/wait.js';
import { type WaitStep, waitShape } from '../schema/steps/wait.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, routedGraph, usualMachine } from './usual-parts.js';

export const waitType: StepTypeRow = stepTypeRow<WaitStep>({
  shape: waitShape,
  graph: { ...routedGraph, hasOwnEnding: false },
  analysis: { ...quietAnalysis, draw: ({ name, type }) => ({ box: 'rectangle', label: `${name}: ${type}` }) },
  machine: { ...usualMachine, effect: 'unit' },
  performer: { effect: 'unit', perform: waitStep },
  progress: { showsCompletion: false },
  events: {
    records: {
      duration(writer, entry, { unit, value: { milliseconds, reason = null } }) {
        const seconds = typeof milliseconds === 'number' ? milliseconds / 1000 : null;
        const { step, iteration, workflow } = unit;
        unit.began = { requested_seconds: seconds, reason };
        const started = { agent_name: step, iteration, duration_seconds: seconds, reason };
        writer.write(workflow, entry, 'wait_started', started);
      },
    },
    ended(ended) {
      if (!ended.isDone) return { type: 'wait_failed', data: failedData(ended) };
      const { unit, elapsed, output } = ended;
      const waited = objectOf(output)['waited_seconds'] ?? null;
      return { type: 'wait_completed', data: { elapsed, waited_seconds: waited, ...unit.began, interrupted: false } };
    },
  },
});
