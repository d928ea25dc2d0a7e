import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name', 'workflow'],
  optional: ['description', 'input', 'routes', 'on_error', 'input_mapping', 'max_depth'],
  ignored: ['output', 'args', 'env', 'timeout'],
} as const;

const fields = {
  workflow: {
    type: 'string',
    description: 'The workflow file to run, relative to this file.',
    harmless_when_empty: true,
    requirement: "a 'workflow' path",
  },
  max_depth: { type: 'integer', minimum: 1, maximum: 10, description: 'How deep sub-workflows may nest below here.' },
} as const;

/** A sub-workflow. */
export interface WorkflowStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'workflow';
}

export const workflowShape: StepShape<WorkflowStep> = {
  type: 'workflow',
  description: 'Another workflow file, with its own limits and context.',
  keys,
  fields,
  sees: 'inputs',
  endsWorkflow: false,
  check: () => undefined,
};
