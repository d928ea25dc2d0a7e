import { userName } from '../../answer/user-name.js';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { findRun } from '../../store/find-run.js';
import { openUpkeep, withStore } from '../../store/open-store.js';
import { confirm } from '../../terminal/confirm.js';

export const command = defineCommand({
  name: 'erase',
  summary: 'Removes one run for good, with everything that is stored of it',
  operands: 'RUN',
  arity: [1, 1],
  options: {
    yes: { type: 'flag', short: 'y', about: 'Does not ask' },
    by: { type: 'text', value: 'NAME', about: 'Who erases it, for the tombstone; your user name unless given' },
  },
  notes: ['A tombstone with the number of entries and the last hash remains, and fullstop verify reports it.'],
  examples: ['fullstop erase r_8fk2 --yes'],
  run: (invocation) =>
    withStore(
      invocation,
      'change',
      async ({ engine }) => {
        const { options, positionals, terminal, env } = invocation;
        const { runId, name, summary = 'it has no ending yet' } = await findRun(engine, positionals[0]);
        if (!options.yes && !(await confirm(terminal, `Erase ${runId} (${name}: ${summary}) for good?`)))
          return exitCodes.cancelled;
        const erased = await engine.erase(runId, { by: options.by ?? userName(env) });
        if (erased === 'running')
          throw new UsageError(`${runId} is running. Cancel it first: fullstop cancel ${runId}`);
        terminal.error(`${runId} is erased. fullstop verify ${runId} reports it.\n`);
        if (erased === 'lingering')
          terminal.error(
            'Its text lingers in the store: another program has been reading since before. It is gone once that has ended and no program has the store open, or after the next fullstop erase or prune.\n',
          );
        return exitCodes.succeeded;
      },
      openUpkeep,
    ),
});
