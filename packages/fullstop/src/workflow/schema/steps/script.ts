import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name', 'command'],
  optional: ['description', 'input', 'routes', 'on_error', 'args', 'env', 'working_dir', 'stdin', 'timeout', 'output'],
  ignored: ['workflow'],
} as const;

const fields = {
  command: { type: 'template', description: 'The program to run; no shell is involved.', harmless_when_empty: true },
  args: {
    type: 'list',
    of: { type: 'template' },
    default: [],
    description: 'Its arguments.',
    harmless_when_empty: true,
  },
  env: {
    type: 'map',
    of: { type: 'string' },
    default: {},
    description: 'Environment variables on top of those of the process, taken literally.',
    harmless_when_empty: true,
  },
  stdin: { type: 'template', description: 'What the program reads from its standard input.' },
  timeout: { type: 'integer', above: 0, description: 'Seconds after which the program is stopped.' },
} as const;

/** A program. */
export interface ScriptStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'script';
}

export const scriptShape: StepShape<ScriptStep> = {
  type: 'script',
  description: 'A program; a JSON object on its standard output becomes part of the step output.',
  keys,
  fields,
  sees: 'inputs',
  endsWorkflow: false,
  check: () => undefined,
};
