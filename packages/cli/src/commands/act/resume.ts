import type { Envelope } from 'fullstop';
import { requestsOnTime } from '../../answer/requests-on-time.js';
import { userName } from '../../answer/user-name.js';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionTable } from '../../command-line/option.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { refuseResume } from '../../resume/refuse-resume.js';
import { reopenForeign } from '../../resume/reopen-foreign.js';
import { resumeTable } from '../../resume/resume-wishes.js';
import { workflowChanges } from '../../resume/workflow-changes.js';
import { findRun } from '../../store/find-run.js';
import { type Store, withStore } from '../../store/open-store.js';
import { continueRun } from '../../workflow/continue-run.js';
import { runningOptions } from '../../workflow/run-options.js';

const options = {
  ...resumeTable,
  ...runningOptions,
} as const satisfies OptionTable;

export const command = defineCommand({
  name: 'resume',
  summary: 'Resumes a run where it stopped, with a higher limit where one is needed',
  operands: '[RUN]',
  arity: [0, 1],
  options,
  notes: [
    'Finished steps are kept. Counters continue, so a limit is the total. A final ending cannot be resumed; fullstop retry starts a new run.',
    'The run of a workflow file continues here. A run of another program is reopened with these changes, and a worker of that program continues it.',
  ],
  examples: ['fullstop resume r_8fk2 --max-iterations 40', 'fullstop resume last --cost 5 --guidance "use the cache"'],
  run: (invocation) =>
    withStore(invocation, 'change', async (store) => {
      const { engine } = store;
      const { runId } = await findRun(engine, invocation.positionals[0]);
      const ending = await engine.ending(runId);
      refuseResume({ runId, ending, requests: requestsOnTime(await engine.openRequests(runId)) }, invocation.options);
      if (isWorkflowRun(await engine.journal(runId, { limit: 1 })))
        return continueRun(store, runId, invocation, (workflow, base) =>
          workflow.resume(runId, workflowChanges({ runId, workflow, base, by: byOf(invocation) }, invocation.options)),
        );
      return reopen(store, runId, ending, invocation);
    }),
});

type ResumeInvocation = Invocation<typeof options>;

function byOf({ options: given, env }: ResumeInvocation): string {
  return given.by ?? userName(env);
}

/** Opens the next segment of a run whose code is elsewhere. */
async function reopen(
  { engine }: Store,
  runId: string,
  ending: Envelope | undefined,
  invocation: ResumeInvocation,
): Promise<number> {
  const { terminal } = invocation;
  if (ending === undefined) {
    terminal.error(`${runId} is running or ready; a worker of its program continues it.\n`);
    return exitCodes.succeeded;
  }
  await reopenForeign(engine, { ending, by: byOf(invocation) }, invocation.options);
  terminal.error(`${runId} is open again (segment ${ending.segment + 1}); a worker of its program continues it.\n`);
  return exitCodes.succeeded;
}
