import type { Envelope } from 'fullstop';
import { userName } from '../../answer/user-name.js';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionTable } from '../../command-line/option.js';
import { findRun } from '../../store/find-run.js';
import { type Store, withStore } from '../../store/open-store.js';
import { askToStop } from '../../workflow/ask-to-stop.js';
import { endCancelledRun } from '../../workflow/continue-run.js';

const waitMs = 15_000;

const options = {
  hard: { type: 'flag', about: 'Stops it at once, without undo steps' },
  reason: { type: 'text', value: 'TEXT', about: 'Why, for the journal' },
  by: { type: 'text', value: 'NAME', about: 'Who cancels; your user name unless given' },
  'no-wait': { type: 'flag', about: 'Does not wait for the ending' },
} as const satisfies OptionTable;

export const command = defineCommand({
  name: 'cancel',
  summary: 'Stops a run, after its undo steps',
  operands: 'RUN',
  arity: [1, 1],
  options,
  notes: [
    'A run that nobody executes right now is ended here if its workflow is stored with it, otherwise by its next worker.',
  ],
  examples: ['fullstop cancel r_8fk2 --reason "wrong ticket"', 'fullstop cancel last --hard'],
  run: (invocation) =>
    withStore(invocation, 'change', async (store) => {
      const { runId, segment } = await findRun(store.engine, invocation.positionals[0]);
      const before = await store.engine.ending(runId);
      const { options: said, env } = invocation;
      await askToStop(store.engine, runId, { ...said, by: said.by ?? userName(env) });
      if (invocation.options['no-wait']) invocation.terminal.error(`${runId} was asked to stop.\n`);
      else
        report(
          runId,
          await endingOf(store, { runId, segment: before === undefined ? segment : segment + 1 }),
          invocation,
        );
      return exitCodes.succeeded;
    }),
});

/** The ending that follows; undefined when no process is there to write it. */
async function endingOf(
  store: Store,
  { runId, segment }: { readonly runId: string; readonly segment: number },
): Promise<Envelope | undefined> {
  await endCancelledRun(store, runId);
  return store.engine.waitForEnding(runId, segment, AbortSignal.timeout(waitMs)).catch(() => undefined);
}

function report(runId: string, ending: Envelope | undefined, { terminal }: Invocation<typeof options>): void {
  if (ending === undefined)
    terminal.error(`${runId} was asked to stop and has not ended yet. A worker that has its definition will end it.\n`);
  else terminal.error(`${runId}: ${ending.summary}\n`);
}
