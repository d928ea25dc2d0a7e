import { checkUse } from './check-use.js';
import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name', 'use'],
  optional: ['description', 'input', 'routes', 'on_error', 'input_mapping'],
  ignored: [],
} as const;

/** A pipeline that a module exports. */
export interface PipelineStep extends StepRecord<typeof keys> {
  readonly type: 'pipeline';
}

export const pipelineShape: StepShape<PipelineStep> = {
  type: 'pipeline',
  description: 'A pipeline that a module exports.',
  keys,
  fields: {},
  sees: 'inputs',
  endsWorkflow: false,
  check: checkUse,
};
