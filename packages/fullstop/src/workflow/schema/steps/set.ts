import { refuse } from '../rule-spot.js';
import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name'],
  optional: ['description', 'input', 'routes', 'on_error', 'value', 'values', 'output_type', 'output'],
  ignored: [],
} as const;

const fields = {
  value: { type: 'template', description: 'The value to set.' },
  values: { type: 'map', of: { type: 'template' }, description: 'Several values to set, by name.' },
  output_type: {
    type: 'choice',
    choices: ['auto', 'string', 'number', 'integer', 'boolean', 'list', 'dict'],
    description: 'How the rendered text of value is read; auto reads it as YAML.',
  },
} as const;

/** One value (`value`) or several (`values`), never both. */
export interface SetStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'set';
}

export const setShape: StepShape<SetStep> = {
  type: 'set',
  description: 'A value, or several, made by templates.',
  keys,
  fields,
  sees: 'inputs',
  endsWorkflow: false,
  check(spot) {
    const { value, values, output_type } = spot.value;
    if ((value === undefined) === (values === undefined)) {
      refuse(spot, 'values', "set agents require exactly one of 'value' or 'values'");
    }
    if (values !== undefined && output_type !== undefined) {
      refuse(spot, 'output_type', "set agents with 'values' cannot have 'output_type'");
    }
  },
};
