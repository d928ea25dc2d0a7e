import { checkUse } from './check-use.js';
import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name', 'use'],
  optional: ['description', 'input', 'routes', 'on_error', 'input_mapping'],
  ignored: [],
} as const;

/** A convergence that a module exports. */
export interface ConvergenceStep extends StepRecord<typeof keys> {
  readonly type: 'convergence';
}

export const convergenceShape: StepShape<ConvergenceStep> = {
  type: 'convergence',
  description: 'A convergence that a module exports.',
  keys,
  fields: {},
  sees: 'inputs',
  endsWorkflow: false,
  check: checkUse,
};
