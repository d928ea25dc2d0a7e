import type { JsonObject } from 'fullstop';
import type { Workflow, WorkflowRunOptions } from 'fullstop/workflow';
import type { Store } from '../store/open-store.js';
import { leaveToWorker } from '../workflow/leave-to-worker.js';
import { rememberFolder } from '../workflow/remembered-folder.js';

export interface DetachedStart {
  readonly workflow: Workflow;
  readonly inputs: string;
  readonly options: Pick<WorkflowRunOptions, 'maxIterations' | 'skipGates'> & { readonly runId: string };
  /** The choice of model that is stored with the run. */
  readonly remember: JsonObject;
  /** Where its scripts are executed. */
  readonly cwd: string;
}

/** Starts a run for a worker, and returns once it is in the store. */
export async function detachRun({ engine }: Store, start: DetachedStart): Promise<void> {
  const { workflow, inputs, options, remember, cwd } = start;
  await leaveToWorker(engine, { ...remember, ...rememberFolder(cwd) }, (opening) =>
    workflow.run(inputs, { ...options, engine: opening }),
  );
}
