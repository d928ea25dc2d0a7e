import type { JournalEntry } from 'fullstop/journal';
import { userName } from '../../answer/user-name.js';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionTable } from '../../command-line/option.js';
import { UsageError } from '../../command-line/usage-error.js';
import { inputOptions } from '../../inputs/input-options.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { findRun } from '../../store/find-run.js';
import { type Store, withStore } from '../../store/open-store.js';
import { continueRun } from '../../workflow/continue-run.js';
import { forkRun } from '../../workflow/fork-run.js';
import { newRunId } from '../../workflow/new-run-id.js';
import { runningOptions } from '../../workflow/run-options.js';

const options = {
  at: { type: 'number', value: 'ENTRY', about: 'The last entry of the journal that the new run has too' },
  ...inputOptions,
  'run-id': { type: 'text', value: 'ID', about: 'The id of the new run' },
  by: { type: 'text', value: 'NAME', about: 'Who forks; your user name unless given' },
  'no-run': { type: 'flag', about: 'Only makes the new run and prints its id' },
  ...runningOptions,
} as const satisfies OptionTable;

export const command = defineCommand({
  name: 'fork',
  summary: 'Makes a new run that has done what another did up to an entry, then continues it',
  operands: '[RUN]',
  arity: [0, 1],
  options,
  notes: [
    'The other run stays as it is. What was done up to the entry is not done again; what comes after is done anew, with other inputs where some are given. fullstop events RUN shows the entries.',
    'A fork at an ending has that ending, and is resumed like any run: fullstop resume.',
  ],
  examples: ['fullstop fork r_8fk2 --at 12', 'fullstop fork last --at 12 -i ticket=4712'],
  run: (invocation) =>
    withStore(invocation, 'change', async (store) => {
      const { options: given, positionals, terminal, env } = invocation;
      const { engine } = store;
      const { runId } = await findRun(engine, positionals[0]);
      if (given.at === undefined) throw new UsageError('Say where: --at ENTRY.', { command: 'fork' });
      const journal = await engine.journal(runId);
      const wish = { at: given.at, newId: given['run-id'] ?? newRunId(), by: given.by ?? userName(env) };
      const made = await forkRun(engine, journal, { ...wish, inputs: await inputsOf(store, journal, invocation) });
      if (given['no-run']) terminal.out(`${made.runId}\n`);
      terminal.error(`${made.runId} has the first ${made.entries} entries of ${runId}.\n`);
      if (given['no-run']) return exitCodes.succeeded;
      if (made.state === 'ready') return continueRun(store, made.runId, invocation);
      terminal.error(`It has the ending of ${runId} there. To continue it: fullstop resume ${made.runId}\n`);
      return exitCodes.succeeded;
    }),
});

/** The inputs that are given, read as the types that the file of the run declares. */
async function inputsOf(
  { engine }: Store,
  journal: readonly JournalEntry[],
  { options: given, env }: Invocation<typeof options>,
): Promise<string | undefined> {
  if (given.input.length + given['input-json'].length === 0) return undefined;
  if (!isWorkflowRun(journal)) return '{}';
  const [{ workflowOfRun }, { readInputs }] = await Promise.all([
    import('fullstop/workflow'),
    import('../../inputs/read-inputs.js'),
  ]);
  const { document } = await workflowOfRun(engine, journal[0]?.runId ?? '', { env });
  return readInputs(given, document.workflow.input);
}
