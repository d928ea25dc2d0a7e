import { isObject } from '../../termination/json.js';
import { findStep } from '../events/described-workflow.js';
import { parsedText } from '../events/parsed-text.js';
import { attempt } from '../machine/step-problem.js';
import { applyRoutedResult } from '../machine/step-result.js';
import { routeOutput } from '../perform/route-output.js';
import { setValue } from '../perform/values/set-value.js';
import { type SetStep, setShape } from '../schema/steps/set.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, routedGraph, usualMachine } from './usual-parts.js';

const longestValue = 512;

export const setType: StepTypeRow = stepTypeRow<SetStep>({
  shape: setShape,
  graph: { ...routedGraph, hasOwnEnding: false },
  analysis: {
    ...quietAnalysis,
    outputFields: ({ values }) => (values === undefined ? undefined : [...values.keys()]),
    groupTexts: ({ value, values }) => [value ?? '', ...(values?.values() ?? [])],
    draw: ({ name, type }) => ({ box: 'rectangle', label: `${name}: ${type}` }),
  },
  // It is over before anyone could look.
  machine: { ...usualMachine, effect: 'record', isAnnounced: false, apply: applyRoutedResult },
  performer: {
    effect: 'record',
    record(step, given) {
      const output = attempt(() => setValue(step, given));
      return 'problem' in output ? output : routeOutput(given, output.value);
    },
    performMember: (step, given) => ({ output: setValue(step, given) }),
  },
  progress: { showsCompletion: false },
  events: {
    outcome({ workflow, name, value }) {
      const output = parsedText(value['output']);
      const text = JSON.stringify(output ?? null);
      return {
        output_type: (workflow.source && findStep(workflow.source, name)['output_type']) ?? 'auto',
        output_keys: isObject(output) ? Object.keys(output).sort() : [],
        value_repr: text.length > longestValue ? `${text.slice(0, longestValue)}… [truncated]` : text,
      };
    },
  },
});
