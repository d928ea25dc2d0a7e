import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { unitTree } from '../../journal/unit-tree.js';
import { showText } from '../../render/show-text.js';
import { withStore } from '../../store/open-store.js';
import { readRun } from '../../store/read-run.js';

export const command = defineCommand({
  name: 'show',
  summary: 'Shows what a run did: its timeline, steps, tokens and cost',
  operands: '[RUN]',
  arity: [0, 1],
  options: {
    json: { type: 'flag', about: 'The summary, ending and tree of units as JSON' },
    values: { type: 'flag', about: 'Also shows the result of each step' },
  },
  examples: ['fullstop show', 'fullstop show r_8fk2 --values'],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine }) => {
      const { options, positionals, terminal } = invocation;
      const record = await readRun(engine, positionals[0]);
      const root = unitTree(record.journal);
      if (options.json) {
        const { summary, ending, requests } = record;
        terminal.data(`${JSON.stringify({ ...summary, ending, requests, units: root }, null, 2)}\n`);
        return exitCodes.succeeded;
      }
      const look = { style: terminal.outStyle, columns: terminal.outColumns, now: Date.now(), values: options.values };
      terminal.out(showText(record, root, look));
      return exitCodes.succeeded;
    }),
});
