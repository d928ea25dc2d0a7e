import type { JsonObject } from 'fullstop';
import { UsageError } from '../../command-line/usage-error.js';
import { detachRun } from '../../detached/detach-run.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { modelChoice, rememberedChoice } from '../../workflow/model-choice.js';
import { modelsFor, noModelChoice } from '../../workflow/model-options.js';
import { newRunId } from '../../workflow/new-run-id.js';
import { rememberedFolder } from '../../workflow/remembered-folder.js';
import { retriedInputs, workflowToRetry } from '../../workflow/retry-parts.js';
import { readRunStart } from '../../workflow/run-start.js';
import type { ActionReceipt, RetryBody } from '../api/action-bodies.js';
import { type Acting, runToActOn } from './acting.js';

/** Starts a new run with the inputs of an old one, as `fullstop retry` does; a worker executes it. */
export async function retryRun(acting: Acting, runId: string, body: RetryBody): Promise<ActionReceipt> {
  const { engine, env, store } = acting;
  await runToActOn(acting, runId);
  const journal = await engine.journal(runId);
  if (!isWorkflowRun(journal))
    throw new UsageError(
      `${runId} was started by another program, which has to start the new run: only runs of workflow files store everything that is needed.`,
    );
  const before = readRunStart(journal);
  const cwd = rememberedFolder(journal) ?? acting.cwd;
  const choice = modelChoice(noModelChoice, journal, cwd);
  const models = await modelsFor({ options: choice, config: store.loaded.config, env, cwd });
  const workflow = await workflowToRetry({ engine, runId, before, models, useCurrent: body.useCurrent === true });
  const newId = newRunId();
  await detachRun(
    { ...store, engine },
    {
      workflow,
      inputs: retriedInputs(before, JSON.stringify(body.inputs ?? {})),
      options: { runId: newId, skipGates: before.options.skipGates },
      remember: { ...rememberedChoice(choice), ...origin(runId, body.by ?? acting.by) },
      cwd,
    },
  );
  await acting.ensureWorker([newId]);
  return {
    runId: newId,
    status: 'started',
    message: `${newId} was started with the inputs of ${runId}; a worker executes it.`,
    execution: 'worker',
  };
}

/** Who started it from which run, for its journal. */
function origin(runId: string, by: string): JsonObject {
  return { startedBy: by, retryOf: runId };
}
