import { durationSeconds } from '../duration-seconds.js';
import { refuse } from '../rule-spot.js';
import type { StepRecord, StepShape } from './step-shape.js';

const longestWait = 86_400;

const keys = {
  required: ['name', 'duration'],
  optional: ['description', 'input', 'routes', 'on_error', 'reason'],
  ignored: [],
} as const;

const fields = {
  duration: {
    type: 'duration',
    description: 'How long to wait: seconds, or a number with ms, s, m or h; at most 24h.',
  },
} as const;

/** A pause. */
export interface WaitStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'wait';
}

export const waitShape: StepShape<WaitStep> = {
  type: 'wait',
  description: 'A pause.',
  keys,
  fields,
  sees: 'inputs',
  endsWorkflow: false,
  check(spot) {
    const seconds = literalSeconds(spot.value.duration);
    if (seconds === undefined) return;
    if (!(seconds > 0)) refuse(spot, 'duration', `The wait duration must be > 0 seconds, got ${seconds}`);
    if (seconds > longestWait)
      refuse(spot, 'duration', `The wait duration of ${seconds}s is longer than 24h (${longestWait}s)`);
  },
};

/** Undefined for a template, which is checked when it is rendered. */
function literalSeconds(duration: string | number): number | undefined {
  return typeof duration === 'string' && duration.includes('{{') ? undefined : durationSeconds(duration);
}
