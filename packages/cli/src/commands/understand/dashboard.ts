import { defineCommand } from '../../command-line/command.js';
import { UsageError } from '../../command-line/usage-error.js';

export const command = defineCommand({
  name: 'dashboard',
  summary: 'Shows runs in the browser (not available yet)',
  operands: '',
  arity: [0, 0],
  options: {},
  examples: [],
  run: () =>
    Promise.reject(
      new UsageError(
        'The dashboard is not available yet. fullstop runs --watch shows runs as they go, fullstop why explains one.',
      ),
    ),
});
