import { checkDeadline } from './check-deadline.js';
import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name', 'prompt', 'options'],
  optional: ['description', 'on_error', 'deadline', 'answerers'],
  ignored: [
    'input',
    'routes',
    'provider',
    'model',
    'tools',
    'system_prompt',
    'output',
    'command',
    'args',
    'env',
    'timeout',
    'workflow',
    'max_session_seconds',
    'max_agent_iterations',
    'retry',
  ],
} as const;

const fields = {
  options: {
    type: 'list',
    of: { type: 'record', of: 'GateOption' },
    description: 'The choices that a person has.',
    harmless_when_empty: true,
  },
} as const;

/** A decision by a person. */
export interface HumanGateStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'human_gate';
  readonly prompt_file?: string;
}

export const humanGateShape: StepShape<HumanGateStep> = {
  type: 'human_gate',
  description: 'A decision by a person; each option has its route.',
  keys,
  fields,
  sees: 'everything',
  endsWorkflow: false,
  check: checkDeadline,
};
