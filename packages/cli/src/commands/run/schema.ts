import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';

export const command = defineCommand({
  name: 'schema',
  summary: 'Prints the JSON Schema of workflow files, for editors',
  operands: '',
  arity: [0, 0],
  options: {},
  config: 'none',
  notes: ['In a YAML file: # yaml-language-server: $schema=workflow.schema.json'],
  examples: ['fullstop schema > workflow.schema.json'],
  run: async ({ terminal }) => {
    const { workflowJsonSchema } = await import('fullstop/workflow');
    terminal.data(`${JSON.stringify(workflowJsonSchema(), null, 2)}\n`);
    return exitCodes.succeeded;
  },
});
