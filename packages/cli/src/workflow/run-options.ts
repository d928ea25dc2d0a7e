import type { OptionTable } from '../command-line/option.js';
import { modelOptions } from './model-options.js';

/** The options of every command that executes runs. */
export const runningOptions = {
  ...modelOptions,
  'retry-policy': {
    type: 'text',
    value: 'FILE|auto',
    about: 'Tries again by the category of the ending: see fullstop help run',
  },
  'no-input': { type: 'flag', about: 'Never asks you anything; a gate then ends the run as paused' },
  quiet: { type: 'flag', short: 'q', about: 'No progress and no banner' },
  json: { type: 'flag', about: 'The whole ending as JSON instead of the output alone' },
} as const satisfies OptionTable;
