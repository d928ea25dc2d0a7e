import { detachRun } from '../../detached/detach-run.js';
import { refuseMissing } from '../../inputs/read-inputs.js';
import { modelChoice, rememberedChoice } from '../../workflow/model-choice.js';
import { modelsFor, noModelChoice } from '../../workflow/model-options.js';
import { newRunId } from '../../workflow/new-run-id.js';
import type { ActionReceipt, StartBody } from '../api/action-bodies.js';
import { workflowFile } from '../reads/workflow-files.js';
import type { Acting } from './acting.js';

/** Starts a workflow file of the folder, as `fullstop run --detach` does. */
export async function startWorkflow(acting: Acting, name: string, body: StartBody): Promise<ActionReceipt> {
  const { store, engine, env, cwd } = acting;
  const file = workflowFile(cwd, name);
  const { provider, model, scripted, inputs = {}, maxIterations, skipGates = false } = body;
  const choice = modelChoice({ ...noModelChoice, provider, model, scripted }, [], cwd);
  const models = await modelsFor({ options: choice, config: store.loaded.config, env, cwd });
  const { loadWorkflow } = await import('fullstop/workflow');
  const workflow = loadWorkflow(file, models);
  const given = JSON.stringify(inputs);
  refuseMissing(given, workflow.document.workflow.input);
  const runId = newRunId();
  await detachRun(
    { ...store, engine },
    {
      workflow,
      inputs: given,
      options: { runId, skipGates, ...(maxIterations !== undefined && { maxIterations }) },
      remember: { ...rememberedChoice(choice), startedBy: body.by ?? acting.by },
      cwd,
    },
  );
  await acting.ensureWorker([runId]);
  return { runId, status: 'started', message: `${runId} was started; a worker executes it.`, execution: 'worker' };
}
