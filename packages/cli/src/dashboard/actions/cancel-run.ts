import { askToStop } from '../../workflow/ask-to-stop.js';
import type { ActionReceipt, CancelBody } from '../api/action-bodies.js';
import { type Acting, continueElsewhere, executionWords, runToActOn } from './acting.js';

/** Asks a run to stop. Its undo steps are executed by whoever has it, or by a worker. */
export async function cancelRun(acting: Acting, runId: string, body: CancelBody): Promise<ActionReceipt> {
  const { state, orphaned } = await runToActOn(acting, runId);
  const { by = acting.by, reason, hard } = body;
  await askToStop(acting.engine, runId, { by, reason, hard });
  const isExecuted = state === 'running' && orphaned !== true;
  const execution = isExecuted ? 'none' : await continueElsewhere(acting, runId);
  const how = isExecuted ? 'its owner stops it' : executionWords(execution, 'ends');
  return { runId, status: 'requested', message: `${runId} was asked to stop; ${how}.`, execution };
}
