import { render } from '../perform/scope/render.js';
import { renderingOf } from '../perform/scope/scopes.js';
import type { StepRecord } from '../schema/steps/step-shape.js';
import { makeStepTable, type StepTable } from '../schema/steps/step-table.js';
import { builtInStepTypes } from './built-in-step-types.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, routedGraph, usualMachine } from './usual-parts.js';

const keys = {
  required: ['name', 'text'],
  optional: ['description', 'input', 'routes', 'on_error'],
  ignored: [],
} as const;

const fields = { text: { type: 'template', description: 'The text to note down.' } } as const;

interface NoteStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'note';
}

/** `type: note` records a text. */
const noteType: StepTypeRow = stepTypeRow<NoteStep>({
  shape: {
    type: 'note',
    description: 'A text to note down.',
    keys,
    fields,
    sees: 'inputs',
    endsWorkflow: false,
    check: () => undefined,
  },
  graph: { ...routedGraph, hasOwnEnding: false },
  analysis: {
    ...quietAnalysis,
    outputFields: () => ['noted'],
    draw: ({ name }) => ({ box: 'rectangle', label: `${name}: note` }),
  },
  machine: { ...usualMachine, effect: 'step' },
  performer: {
    effect: 'step',
    perform: (step, given) => ({ output: JSON.stringify({ noted: render(renderingOf(step, given), step.text) }) }),
  },
  progress: { showsCompletion: false },
  events: {
    started: (writer, entry, { workflow, name }) => writer.write(workflow, entry, 'note_started', { agent_name: name }),
    outcome: ({ value }) => ({ note: value['output'] ?? null }),
  },
});

/** The built-in types of step with one more. */
export const stepTypesWithNote: StepTable<StepTypeRow> = makeStepTable([...builtInStepTypes.rows, noteType]);
