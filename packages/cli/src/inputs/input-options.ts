import type { OptionTable } from '../command-line/option.js';

/** The options for the inputs of a workflow. */
export const inputOptions = {
  input: {
    type: 'list',
    value: 'NAME=VALUE',
    short: 'i',
    about: 'An input, read as the type that the file declares; may be given several times',
  },
  'input-json': { type: 'list', value: 'NAME=JSON', about: 'An input that is any JSON value' },
} as const satisfies OptionTable;
