import type { Workflow, WorkflowResumeOptions } from 'fullstop/workflow';
import { milliseconds, readDuration } from '../command-line/read-duration.js';
import { UsageError } from '../command-line/usage-error.js';
import type { LimitChanges } from '../workflow/limit-changes.js';
import { resumeOptions } from '../workflow/resume-options.js';
import type { ResumeWishes } from './resume-wishes.js';

type Base = Pick<WorkflowResumeOptions, 'engine' | 'onEntry'>;

/** The options with which the run of a workflow file is resumed. */
export function workflowChanges(
  {
    runId,
    workflow,
    base,
    by,
  }: { readonly runId: string; readonly workflow: Workflow; readonly base: Base; readonly by: string },
  wishes: ResumeWishes,
): WorkflowResumeOptions {
  refuseAgentOptions(runId, workflow, wishes);
  const { engine, onEntry = () => undefined } = base;
  const changed = resumeOptions({ engine, onEntry, changes: limitsOf(wishes) });
  return {
    ...changed,
    ...(wishes.steps !== undefined && { limits: { ...changed.limits, steps: wishes.steps } }),
    by,
    ...(wishes.at !== undefined && { at: wishes.at }),
    ...(wishes.guidance !== undefined && { guidance: wishes.guidance }),
    ...answerChanges(wishes),
    ...convergenceChanges(wishes),
    ...(wishes['skip-gates'] && { skipGates: true }),
    ...(wishes['use-current'] && { useCurrent: true }),
    ...(wishes.deadline.length > 0 && { deadlines: deadlinesOf(wishes.deadline) }),
  };
}

/** The file says which conditions an agent of a workflow has. */
function refuseAgentOptions(runId: string, { loaded }: Workflow, wishes: ResumeWishes): void {
  const refused = [
    ...(wishes.without.length === 0 ? [] : ['--without']),
    ...(wishes['max-tool-calls'] === undefined ? [] : ['--max-tool-calls']),
  ];
  if (refused.length === 0) return;
  throw new UsageError(
    `${refused.join(' and ')} cannot change a run of a workflow file, whose agents follow the file. Change the agent in ${loaded.file}, then: fullstop resume ${runId} --use-current`,
  );
}

function limitsOf(wishes: ResumeWishes): LimitChanges {
  return {
    ...(wishes['max-iterations'] !== undefined && { maxIterations: wishes['max-iterations'] }),
    ...(wishes.tokens !== undefined && { tokens: wishes.tokens }),
    ...(wishes.cost !== undefined && { costUsd: wishes.cost }),
    ...(wishes.timeout !== undefined && { timeoutMs: readDuration(wishes.timeout, '--timeout') }),
  };
}

/** The changes for the answers of the agent that ended. */
export function answerChanges({ 'max-output-tokens': maxOutputTokens, repair }: ResumeWishes): {
  readonly settings?: { readonly maxOutputTokens: number };
  readonly repair?: number;
} {
  return {
    ...(maxOutputTokens !== undefined && { settings: { maxOutputTokens } }),
    ...(repair !== undefined && { repair }),
  };
}

/** The changes for the convergence that ended. */
export function convergenceChanges({
  'max-cycles': cycles,
  'max-facts': facts,
  settled,
  note,
}: ResumeWishes): Pick<WorkflowResumeOptions, 'budgets' | 'settled' | 'note'> {
  const budgets = { ...(cycles !== undefined && { cycles }), ...(facts !== undefined && { facts }) };
  return {
    ...(Object.keys(budgets).length > 0 && { budgets }),
    ...(settled.length > 0 && { settled }),
    ...(note !== undefined && { note }),
  };
}

/** New deadlines such as `review=1d`, as instants. */
export function deadlinesOf(given: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    given.map((text) => {
      const sign = text.lastIndexOf('=');
      const age = milliseconds(text.slice(sign + 1));
      if (sign < 1 || age === undefined)
        throw new UsageError(`--deadline needs a request and a time, such as review=1d, not ${JSON.stringify(text)}.`);
      return [text.slice(0, sign), Date.now() + age];
    }),
  );
}
