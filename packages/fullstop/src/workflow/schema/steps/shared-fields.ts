/** The keys that several types of step take; a key of one type only is declared with its type. */
export const sharedFields = {
  name: { type: 'string', required: true, description: 'The name that routes and templates use for this step.' },
  description: { type: 'string', description: 'A note for readers.' },
  input: {
    type: 'list',
    of: { type: 'string' },
    default: [],
    description:
      'What the step may see in explicit context mode, such as planner.output.plan or workflow.input.topic; a trailing ? makes it optional.',
  },
  routes: {
    type: 'list',
    of: { type: 'record', of: 'Route' },
    default: [],
    description: 'Where to go next; the first route whose condition holds is taken. Without routes the workflow ends.',
    harmless_when_empty: true,
    sees_everything: true,
  },
  on_error: {
    type: 'list',
    of: { type: 'record', of: 'ErrorRoute' },
    default: [],
    description:
      'Where to go when the step fails; the first that matches is taken, otherwise the failure ends the run.',
    sees_everything: true,
  },
  prompt: {
    type: 'template',
    default: '',
    description: 'The prompt, or the text shown to a person.',
    harmless_when_empty: true,
  },
  output: {
    type: 'map',
    of: { type: 'record', of: 'OutputField' },
    description: 'The fields that the output must have.',
  },
  working_dir: { type: 'template', description: 'The directory to work in.', harmless_when_empty: true },
  deadline: {
    type: 'duration',
    description: 'How long to wait for a person; then the step ends as gate_expired, which on_error can route.',
  },
  answerers: {
    type: 'list',
    of: { type: 'string', not_blank: true },
    at_least: 1,
    description: 'Who may answer, by name; anyone unless given.',
  },
  reason: {
    type: 'template',
    description: 'Why the workflow ends here, or what a wait is for.',
    requirement: "a non-empty 'reason'",
  },
  use: {
    type: 'string',
    description: 'The module and the export that hold the definition, such as ./month-end.mjs#monthEnd.',
  },
  input_mapping: {
    type: 'map',
    of: { type: 'template' },
    description: 'The inputs of the unit; without it a sub-workflow gets the inputs of this workflow.',
  },
} as const;
