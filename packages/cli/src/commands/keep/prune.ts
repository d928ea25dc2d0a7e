import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { openUpkeep, withStore } from '../../store/open-store.js';
import { instant } from '../../store/run-filter-options.js';
import { confirm } from '../../terminal/confirm.js';

export const command = defineCommand({
  name: 'prune',
  summary: 'Removes runs that ended long ago',
  operands: '',
  arity: [0, 0],
  options: {
    'older-than': {
      type: 'text',
      value: 'AGE',
      about: 'Runs that ended longer ago than this, such as 30d, or before a date',
    },
    keep: { type: 'number', value: 'N', about: 'Keeps the newest N in any case' },
    'include-open': {
      type: 'flag',
      about: 'Also runs that could still be resumed; those that wait or run always stay',
    },
    yes: { type: 'flag', short: 'y', about: 'Does not ask' },
  },
  examples: ['fullstop prune --older-than 30d --keep 100 --yes'],
  run: (invocation) =>
    withStore(
      invocation,
      'change',
      async ({ engine }) => {
        const { options, terminal } = invocation;
        const age = options['older-than'];
        if (age === undefined)
          throw new UsageError('prune needs an age: fullstop prune --older-than 30d', { command: 'prune' });
        const endedBefore = instant(age, '--older-than', Date.now());
        const what = options['include-open'] ? 'runs' : 'runs with a final ending';
        const when = new Date(endedBefore).toISOString().slice(0, 16).replace('T', ' ');
        if (!options.yes && !(await confirm(terminal, `Remove all ${what} that ended before ${when} UTC for good?`)))
          return exitCodes.cancelled;
        const removed = await engine.prune({
          endedBefore,
          keep: options.keep ?? 0,
          includeOpen: options['include-open'],
        });
        terminal.error(`Removed ${removed} runs.\n`);
        return exitCodes.succeeded;
      },
      openUpkeep,
    ),
});
