import type { Workflow } from 'fullstop/workflow';
import { userName } from '../../answer/user-name.js';
import { defineCommand } from '../../command-line/command.js';
import type { OptionTable } from '../../command-line/option.js';
import { UsageError } from '../../command-line/usage-error.js';
import { inputOptions } from '../../inputs/input-options.js';
import type { GivenInputs } from '../../inputs/read-inputs.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { readRetryPolicy } from '../../retry/retry-policy.js';
import { findRun } from '../../store/find-run.js';
import { withStore } from '../../store/open-store.js';
import { finishRun } from '../../workflow/finish-run.js';
import { followRun } from '../../workflow/follow-run.js';
import { modelChoice, rememberedChoice } from '../../workflow/model-choice.js';
import { modelsFor } from '../../workflow/model-options.js';
import { newRunId } from '../../workflow/new-run-id.js';
import { resumeOptions } from '../../workflow/resume-options.js';
import { retriedInputs, workflowToRetry } from '../../workflow/retry-parts.js';
import { runningOptions } from '../../workflow/run-options.js';
import { type RunStart, readRunStart } from '../../workflow/run-start.js';

const options = {
  ...inputOptions,
  'use-current': { type: 'flag', about: 'Uses the file as it is now, instead of as it was' },
  'run-id': { type: 'text', value: 'ID', about: 'The id of the new run' },
  ...runningOptions,
} as const satisfies OptionTable;

export const command = defineCommand({
  name: 'retry',
  summary: 'Starts a new run with the same inputs, or with changes to them',
  operands: '[RUN]',
  arity: [0, 1],
  options,
  notes: [
    'The new run has an id of its own and the workflow as it was stored with the old one. To continue where a run stopped, resume it instead.',
  ],
  examples: ['fullstop retry r_8fk2', 'fullstop retry last -i ticket=4712', 'fullstop retry last --use-current'],
  run: (invocation) =>
    withStore(invocation, 'change', async (store) => {
      const { engine, loaded } = store;
      const { options: given, positionals, terminal, env, cwd } = invocation;
      const { runId } = await findRun(engine, positionals[0]);
      const journal = await engine.journal(runId);
      if (!isWorkflowRun(journal))
        throw new UsageError(
          `${runId} was started by another program, which has to start the new run: only runs of workflow files store everything that is needed.`,
        );
      const before = readRunStart(journal);
      const choice = modelChoice(given, journal, cwd);
      const models = await modelsFor({ options: choice, config: loaded.config, env, cwd });
      const workflow = await workflowToRetry({ engine, runId, before, models, useCurrent: given['use-current'] });
      const inputs = await inputsOf(workflow, before, given);
      const followed = await followRun({
        store,
        terminal,
        workflow,
        first: ({ engine, onEntry }) =>
          workflow.run(inputs, {
            engine,
            onEntry,
            skipGates: before.options.skipGates,
            runId: given['run-id'] ?? newRunId(),
          }),
        next: (newId, segment) => workflow.resume(newId, resumeOptions(segment)),
        policy: given['retry-policy'] === undefined ? undefined : await readRetryPolicy(given['retry-policy'], cwd),
        asks: terminal.isInteractive && !given['no-input'],
        quiet: given.quiet,
        remember: rememberedChoice(choice),
        by: userName(env),
      });
      return finishRun(followed, store, invocation);
    }),
});

/** The inputs of before, of which those that are given now are replaced. */
async function inputsOf({ document }: Workflow, before: RunStart, given: GivenInputs): Promise<string> {
  if (given.input.length + given['input-json'].length === 0) return before.inputs;
  const { readInputs } = await import('../../inputs/read-inputs.js');
  const others = readInputs(given, before.options.lenient ? new Map() : document.workflow.input);
  return retriedInputs(before, others);
}
