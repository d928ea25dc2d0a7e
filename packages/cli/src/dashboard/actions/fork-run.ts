import { forkRun as makeFork } from '../../workflow/fork-run.js';
import { newRunId } from '../../workflow/new-run-id.js';
import type { ActionReceipt, ForkBody } from '../api/action-bodies.js';
import { type Acting, continueElsewhere, executionWords, runToActOn } from './acting.js';
import { resumeRun } from './resume-run.js';

/** Makes a new run with a copy of a journal up to an entry, as `fullstop fork` does; a worker continues it. */
export async function forkRun(acting: Acting, runId: string, body: ForkBody): Promise<ActionReceipt> {
  const { engine } = acting;
  await runToActOn(acting, runId);
  const { at, inputs, resume, by = acting.by } = body;
  const journal = await engine.journal(runId);
  const given = inputs === undefined ? undefined : JSON.stringify(inputs);
  const made = await makeFork(engine, journal, { at, newId: newRunId(), by, inputs: given });
  const copied = `${made.runId} has the first ${made.entries} entries of ${runId}`;
  if (made.state === 'ended' && resume === undefined)
    return { runId: made.runId, status: 'forked', message: `${copied}, and can be resumed.`, execution: 'none' };
  const execution =
    made.state === 'ended'
      ? (await resumeRun(acting, made.runId, { ...resume, by })).execution
      : await continueElsewhere(acting, made.runId);
  return { runId: made.runId, status: 'forked', message: `${copied}; ${executionWords(execution)}.`, execution };
}
