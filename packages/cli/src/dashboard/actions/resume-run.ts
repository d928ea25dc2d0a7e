import { requestsOnTime } from '../../answer/requests-on-time.js';
import { UsageError } from '../../command-line/usage-error.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { refuseResume } from '../../resume/refuse-resume.js';
import { reopenForeign } from '../../resume/reopen-foreign.js';
import { noWishes, type ResumeWishes } from '../../resume/resume-wishes.js';
import { workflowChanges } from '../../resume/workflow-changes.js';
import { workflowToContinue } from '../../workflow/continue-run.js';
import { leaveToWorker } from '../../workflow/leave-to-worker.js';
import { rememberedChoice } from '../../workflow/model-choice.js';
import { sealedVariables } from '../../workflow/model-options.js';
import type { ActionReceipt, ResumeBody } from '../api/action-bodies.js';
import { type Acting, continueElsewhere, executionWords, runToActOn } from './acting.js';

/** Opens the next segment of a run with changes, as `fullstop resume` does; a worker executes it. */
export async function resumeRun(acting: Acting, runId: string, body: ResumeBody): Promise<ActionReceipt> {
  const { engine } = acting;
  const { state, orphaned } = await runToActOn(acting, runId);
  const ending = await engine.ending(runId);
  const wishes = wishesOf(body);
  const by = body.by ?? acting.by;
  refuseResume({ runId, ending, requests: requestsOnTime(await engine.openRequests(runId)) }, wishes);
  if (ending === undefined && state === 'running' && orphaned !== true)
    throw new UsageError(`${runId} is running. It can be resumed once it has an ending.`);
  const isWorkflow = isWorkflowRun(await engine.journal(runId, { limit: 1 }));
  if (ending !== undefined && isWorkflow) await openSegment(acting, { runId, wishes, by, body });
  else if (ending !== undefined) await reopenForeign(engine, { ending, by }, wishes);
  const execution = await continueElsewhere(acting, runId);
  const what = ending === undefined ? 'had no ending to resume from' : `is open again (segment ${ending.segment + 1})`;
  return { runId, status: 'opened', message: `${runId} ${what}; ${executionWords(execution)}.`, execution };
}

interface Resuming {
  readonly runId: string;
  readonly wishes: ResumeWishes;
  readonly by: string;
  readonly body: ResumeBody;
}

async function openSegment({ engine, store, env, cwd }: Acting, resuming: Resuming): Promise<void> {
  const { runId, wishes, by, body } = resuming;
  const { config } = store.loaded;
  const models = { env, workingDirectory: cwd, ...sealedVariables(config, env) };
  const journal = await engine.journal(runId);
  const workflow = await workflowToContinue({ engine, runId, journal, models, useCurrent: wishes['use-current'] });
  const { provider, model } = body;
  const chosen = rememberedChoice({ scripted: undefined, provider, model, 'allow-unknown-prices': false });
  await leaveToWorker(engine, chosen, (opening) =>
    workflow.resume(runId, workflowChanges({ runId, workflow, base: { engine: opening }, by }, wishes)),
  );
}

/** The body in the words of the command line, whose code does the rest. */
function wishesOf({ by, provider: _provider, model: _model, ...given }: ResumeBody): ResumeWishes {
  const named = Object.entries(given).map(([name, value]) => [dashed(name), value] as const);
  return { ...noWishes, by, ...Object.fromEntries(named.filter(([, value]) => value !== undefined)) };
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
