import { objectOf } from '../events/described-workflow.js';
import { parsedText } from '../events/parsed-text.js';
import { runScript } from '../perform/program/script.js';
import { type ScriptStep, scriptShape } from '../schema/steps/script.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, routedGraph, usualMachine } from './usual-parts.js';

export const scriptType: StepTypeRow = stepTypeRow<ScriptStep>({
  shape: scriptShape,
  graph: { ...routedGraph, hasOwnEnding: false },
  analysis: { ...quietAnalysis, draw: ({ name, type }) => ({ box: 'rectangle', label: `${name}: ${type}` }) },
  machine: { ...usualMachine, effect: 'step' },
  performer: { effect: 'step', perform: runScript },
  progress: { showsCompletion: false },
  events: {
    started: (writer, entry, { workflow, name, iteration }) =>
      writer.write(workflow, entry, 'script_started', { agent_name: name, iteration }),
    outcome({ value }) {
      const { stdout = '', stderr = '' } = objectOf(parsedText(value['output']));
      return { stdout, stderr, exit_code: value['exitCode'] ?? null, stdin_bytes: value['stdinBytes'] ?? 0 };
    },
  },
});
