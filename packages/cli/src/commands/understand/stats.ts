import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { statsText } from '../../render/stats-text.js';
import { withStore } from '../../store/open-store.js';
import { runFilter, runFilterOptions } from '../../store/run-filter-options.js';

const intervals = 16;

export const command = defineCommand({
  name: 'stats',
  summary: 'Shows where runs stop and what each ending costs',
  operands: '',
  arity: [0, 0],
  options: {
    ...runFilterOptions,
    last: { type: 'number', value: 'N', about: 'Only the newest N runs' },
    json: { type: 'flag', about: 'The numbers as JSON' },
  },
  examples: ['fullstop stats --since 7d', 'fullstop stats -w triage --last 500'],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine }) => {
      const { options, terminal } = invocation;
      const stats = await engine.tally({
        ...runFilter(options, Date.now()),
        intervals,
        ...(options.last !== undefined && { last: options.last }),
      });
      if (options.json) terminal.data(`${JSON.stringify(stats, null, 2)}\n`);
      else if (stats.runs === 0) terminal.error('No runs.\n');
      else terminal.out(statsText(stats, terminal.outStyle, terminal.outColumns));
      return exitCodes.succeeded;
    }),
});
