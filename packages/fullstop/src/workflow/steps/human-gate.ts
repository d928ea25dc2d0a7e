import { warnOfNoEffect } from '../analyze/check-groups.js';
import { choicesOf, findStep, objectOf, objectsOf } from '../events/described-workflow.js';
import { errorEdges } from '../graph/edge.js';
import { gateStep } from '../perform/human/gate.js';
import { type HumanGateStep, humanGateShape } from '../schema/steps/human-gate.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, usualMachine } from './usual-parts.js';

export const humanGateType: StepTypeRow = stepTypeRow<HumanGateStep>({
  shape: humanGateShape,
  graph: {
    edges: ({ name, options, on_error }) => [
      ...options.map(({ route, value }) => ({ from: name, to: route, kind: 'option', condition: value }) as const),
      ...errorEdges(name, on_error),
    ],
    runsFile: () => undefined,
    hasOwnEnding: true,
  },
  analysis: {
    ...quietAnalysis,
    asks: () => ['decision'],
    waitsForPerson: ({ deadline }) => (deadline === undefined ? 'forever' : 'until a deadline'),
    outputFields: () => ['selected', 'additional_input'],
    targets: ({ options }) => options.map(({ route }, index) => ({ to: route, path: ['options', index, 'route'] })),
    // For each item of a list it is one question many times; side by side it is not.
    refusedInGroup: 'human gate',
    draw: ({ name }) => ({ box: 'diamond', label: name }),
    check(meaning, { options }, path) {
      // An option must have a route, so `$end` is no mistake.
      const leads = path[0] === 'for_each' && options.some(({ route }) => route !== '$end');
      if (leads) warnOfNoEffect(meaning, 'The routes of options', [...path, 'options']);
    },
  },
  machine: { ...usualMachine, effect: 'unit' },
  performer: { effect: 'unit', perform: gateStep },
  progress: { showsCompletion: false },
  events: {
    hidesRoute: true,
    records: {
      prompt(writer, entry, { unit: { workflow, step }, value: { prompt = '' } }) {
        const choices = choicesOf(workflow.source === undefined ? {} : findStep(workflow.source, step));
        writer.write(workflow, entry, 'gate_presented', { agent_name: step, ...choices, prompt });
      },
    },
    ended({ isDone, outcome, output }) {
      if (!isDone) return undefined;
      const { selected = null, additional_input = {} } = objectOf(output);
      return {
        type: 'gate_resolved',
        data: { selected_option: selected, route: outcome['to'] ?? null, additional_input },
      };
    },
    choices: ({ name = null, options }) =>
      objectsOf(options).map(({ route = null, value = '' }) => ({
        from: name,
        to: route,
        when: `selection == '${value}'`,
      })),
  },
});
