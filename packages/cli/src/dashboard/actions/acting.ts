import type { RunSummary } from 'fullstop/engine';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import type { ActionReceipt } from '../api/action-bodies.js';
import { ApiError } from '../http/api-error.js';
import { noRun } from '../reads/record-reader.js';
import type { DashboardSurroundings } from '../surroundings.js';

/** Everything that actions use; the engine is that of the store, or one that only tries. */
export interface Acting extends Pick<DashboardSurroundings, 'by' | 'cwd' | 'ensureWorker' | 'env' | 'store'> {
  readonly engine: StoreEngine;
}

/** The run of an id, which must be there and whole: nothing is done to what cannot be trusted. */
export async function runToActOn({ engine }: Acting, runId: string): Promise<RunSummary> {
  const summary = await engine.summary(runId);
  if (summary === undefined) throw noRun(runId);
  if (summary.damage !== undefined)
    throw new ApiError(`What is stored of ${runId} is damaged: ${summary.damage.reason}. It is set aside.`, {
      status: 409,
      code: 'STORE_CORRUPT',
    });
  return summary;
}

/** Who continues a run that is ready now: a worker of this machine, if the store has everything that it needs. */
export async function continueElsewhere(
  { engine, ensureWorker }: Acting,
  runId: string,
): Promise<ActionReceipt['execution']> {
  if (!isWorkflowRun(await engine.journal(runId, { limit: 1 }))) return 'elsewhere';
  await ensureWorker([runId]);
  return 'worker';
}

/** The same in words, at the end of a message. */
export function executionWords(execution: ActionReceipt['execution'], does = 'continues'): string {
  switch (execution) {
    case 'worker':
      return `a worker ${does} it`;
    case 'elsewhere':
      return `a worker of its own program ${does} it`;
    case 'none':
      return 'nothing else has to be done';
    default:
      return execution satisfies never;
  }
}
