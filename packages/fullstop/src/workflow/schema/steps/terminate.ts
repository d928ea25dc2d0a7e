import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name', 'status', 'reason'],
  optional: ['description', 'input', 'output_template'],
  ignored: [],
} as const;

const fields = {
  status: {
    type: 'choice',
    choices: ['success', 'failed'],
    or_template: true,
    description: 'Whether this is a success (exit 0) or a failure (exit 1).',
    requirement: "'status' (success or failed)",
    elsewhere: "Add 'type: terminate' if the workflow ends here",
  },
  output_template: {
    type: 'map',
    of: { type: 'template' },
    description: 'The final output for this ending, instead of the output of the workflow; {} is an empty output.',
    elsewhere: "Add 'type: terminate' if the workflow ends here",
    sees_everything: true,
  },
} as const;

/** The explicit end of a workflow; a `status` with template marks is checked when it is rendered. */
export interface TerminateStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'terminate';
}

export const terminateShape: StepShape<TerminateStep> = {
  type: 'terminate',
  description: 'The explicit end of the workflow, with a status and a reason.',
  keys,
  fields,
  sees: 'declared',
  endsWorkflow: true,
  check: () => undefined,
};
