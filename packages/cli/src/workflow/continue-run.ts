import type { Engine } from 'fullstop/engine';
import type { JournalEntry } from 'fullstop/journal';
import type { LoadWorkflowOptions, Workflow } from 'fullstop/workflow';
import { userName } from '../answer/user-name.js';
import type { Invocation } from '../command-line/command.js';
import { exitCodes } from '../command-line/exit-code.js';
import type { OptionValues } from '../command-line/option.js';
import { isWorkflowRun } from '../journal/is-workflow-run.js';
import { readRetryPolicy } from '../retry/retry-policy.js';
import type { Store } from '../store/open-store.js';
import { finishRun } from './finish-run.js';
import { followRun, type Segment } from './follow-run.js';
import { modelChoice, rememberedChoice } from './model-choice.js';
import { modelsFor } from './model-options.js';
import { resumeOptions } from './resume-options.js';
import type { runningOptions } from './run-options.js';
import { readRunStart } from './run-start.js';

export type RunningInvocation = Pick<Invocation, 'terminal' | 'env' | 'cwd'> & {
  readonly options: OptionValues<typeof runningOptions> & {
    readonly 'use-current'?: boolean;
    readonly store: string | undefined;
  };
};

/** Continues a run in this process: shows it, finishes it and returns its exit code. Runs of other programs are left to their workers. */
export async function continueRun(
  store: Store,
  runId: string,
  invocation: RunningInvocation,
  resume?: (workflow: Workflow, segment: Segment) => ReturnType<Workflow['resume']>,
): Promise<number> {
  const { engine, loaded } = store;
  const { terminal, env, options, cwd } = invocation;
  const journal = await engine.journal(runId);
  if (!isWorkflowRun(journal)) {
    terminal.error(`${runId} was started by another program; a worker of that program continues it.\n`);
    return exitCodes.succeeded;
  }
  const choice = modelChoice(options, journal, cwd);
  const models = await modelsFor({ options: choice, config: loaded.config, env, cwd, journal });
  const useCurrent = options['use-current'] === true;
  const workflow = await workflowToContinue({ engine, runId, journal, models, useCurrent });
  const again = (segment: Segment): ReturnType<Workflow['resume']> =>
    workflow.resume(runId, { ...resumeOptions(segment), ...(useCurrent && { useCurrent }) });
  const named = options['retry-policy'];
  const followed = await followRun({
    store,
    terminal,
    workflow,
    first: (segment) => (resume === undefined ? again(segment) : resume(workflow, segment)),
    next: (_, segment) => again(segment),
    policy: named === undefined ? undefined : await readRetryPolicy(named, cwd),
    asks: terminal.isInteractive && !options['no-input'],
    quiet: options.quiet,
    remember: rememberedChoice(choice),
    by: userName(env),
  });
  return finishRun(followed, store, invocation);
}

export interface ContinueQuestion {
  readonly engine: Engine;
  readonly runId: string;
  readonly journal: readonly JournalEntry[];
  readonly models: LoadWorkflowOptions;
  /** The file as it is now, instead of as it was. */
  readonly useCurrent: boolean;
}

/** The workflow with which a run continues. */
export async function workflowToContinue(question: ContinueQuestion): Promise<Workflow> {
  const { engine, runId, journal, models, useCurrent } = question;
  const { loadWorkflow, workflowOfRun } = await import('fullstop/workflow');
  if (!useCurrent) return workflowOfRun(engine, runId, models);
  const { source, options } = readRunStart(journal);
  const { lenient, confine = false } = options;
  return loadWorkflow(source.file, { lenient, confine, ...models });
}

/** Ends a run that was cancelled, if nobody else owns it and its workflow is stored with it. */
export async function endCancelledRun({ engine }: Store, runId: string): Promise<void> {
  if (!isWorkflowRun(await engine.journal(runId, { limit: 1 }))) return;
  const { workflowOfRun } = await import('fullstop/workflow');
  const workflow = await workflowOfRun(engine, runId);
  const session = await engine.claim(runId, `cancel_${process.pid}`);
  if (session !== undefined) await workflow.execute(session, engine);
}
