import type { Envelope, JsonObject } from 'fullstop';
import type { ReopenReceipt } from 'fullstop/engine';
import type { Workflow, WorkflowResumeOptions } from 'fullstop/workflow';
import { requestsOnTime } from '../../answer/requests-on-time.js';
import { userName } from '../../answer/user-name.js';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionTable } from '../../command-line/option.js';
import { milliseconds, readDuration } from '../../command-line/read-duration.js';
import { UsageError } from '../../command-line/usage-error.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { findRun } from '../../store/find-run.js';
import { type Store, withStore } from '../../store/open-store.js';
import { continueRun } from '../../workflow/continue-run.js';
import type { Segment } from '../../workflow/follow-run.js';
import { resumeOptions } from '../../workflow/resume-options.js';
import { runningOptions } from '../../workflow/run-options.js';

const options = {
  'max-iterations': { type: 'number', value: 'N', about: 'The new limit of iterations or steps, as a total' },
  'max-tool-calls': { type: 'number', value: 'N', about: 'The new limit of tool calls, as a total' },
  'max-cycles': { type: 'number', value: 'N', about: 'The new limit of cycles of a convergence, as a total' },
  'max-facts': { type: 'number', value: 'N', about: 'The new limit of facts of a convergence, as a total' },
  steps: { type: 'number', value: 'N', about: 'The new limit of steps of a unit, as a total' },
  tokens: { type: 'number', value: 'N', about: 'The new token budget, as a total' },
  cost: { type: 'number', value: 'USD', about: 'The new cost budget, as a total' },
  timeout: { type: 'text', value: 'DURATION', about: 'The new time budget, as a total of active time' },
  deadline: { type: 'list', value: 'ID=AGE', about: 'A new deadline for a request, such as review=1d' },
  settled: { type: 'list', value: 'REF', about: 'What a person has settled, for criteria of a convergence' },
  note: { type: 'text', value: 'TEXT', about: 'How it was settled' },
  without: { type: 'list', value: 'CONDITION', about: 'Leaves a stop condition out, such as loopDetection' },
  at: { type: 'text', value: 'PATH', about: 'The unit that the new limits belong to, if not the one that ended' },
  'max-output-tokens': { type: 'number', value: 'N', about: 'The new cap for an answer of the model' },
  repair: { type: 'number', value: 'N', about: 'How often an output may be corrected, as a total' },
  guidance: { type: 'text', value: 'TEXT', about: 'Guidance for the model before it continues' },
  'skip-gates': { type: 'flag', about: 'Takes the first option of every gate from here on' },
  'use-current': {
    type: 'flag',
    about: 'Uses the workflow file as it is now, if the steps that were done still exist',
  },
  by: { type: 'text', value: 'NAME', about: 'Who resumes; your user name unless given' },
  ...runningOptions,
} as const satisfies OptionTable;

export const command = defineCommand({
  name: 'resume',
  summary: 'Resumes a run where it stopped, with a higher limit where one is needed',
  operands: '[RUN]',
  arity: [0, 1],
  options,
  notes: [
    'Finished steps are kept. Counters continue, so a limit is the total. A final ending cannot be resumed; fullstop retry starts a new run.',
    'The run of a workflow file continues here. A run of another program is reopened with these changes, and a worker of that program continues it.',
  ],
  examples: ['fullstop resume r_8fk2 --max-iterations 40', 'fullstop resume last --cost 5 --guidance "use the cache"'],
  run: (invocation) =>
    withStore(invocation, 'change', async (store) => {
      const { engine } = store;
      const { runId } = await findRun(engine, invocation.positionals[0]);
      const ending = await engine.ending(runId);
      refuse(runId, ending, requestsOnTime(await engine.openRequests(runId)), invocation);
      if (isWorkflowRun(await engine.journal(runId, { limit: 1 })))
        return continueRun(store, runId, invocation, (workflow, segment) =>
          resumeWorkflow({ runId, workflow, segment }, invocation),
        );
      return reopen(store, runId, ending, invocation);
    }),
});

type ResumeInvocation = Invocation<typeof options>;

/** Says at once what cannot work. */
function refuse(
  runId: string,
  ending: Envelope | undefined,
  requests: readonly { readonly id: string }[],
  { options: given }: ResumeInvocation,
): void {
  if (ending === undefined) return;
  if (!ending.open)
    throw new UsageError(
      `${runId} has a final ending and cannot be resumed: ${ending.summary} To run again: fullstop retry ${runId}`,
    );
  const isAsking = ending.category === 'paused' && requests.length > 0;
  if (isAsking && !given['skip-gates'] && given.deadline.length === 0)
    throw new UsageError(
      `${runId} waits for an answer to ${requests.map(({ id }) => id).join(', ')}. Answer it: fullstop answer ${runId}`,
    );
}

interface Resuming {
  readonly runId: string;
  readonly workflow: Workflow;
  readonly segment: Segment;
}

function resumeWorkflow(
  { runId, workflow, segment }: Resuming,
  { options: given, env }: ResumeInvocation,
): ReturnType<Workflow['resume']> {
  refuseAgentOptions(runId, workflow, given);
  const base = resumeOptions({ ...segment, changes: changesOf(given) });
  const steps = given.steps === undefined ? {} : { limits: { ...base.limits, steps: given.steps } };
  return workflow.resume(runId, {
    ...base,
    ...steps,
    by: given.by ?? userName(env),
    ...(given.at !== undefined && { at: given.at }),
    ...(given.guidance !== undefined && { guidance: given.guidance }),
    ...answerChanges(given),
    ...convergenceChanges(given),
    ...(given['skip-gates'] && { skipGates: true }),
    ...(given['use-current'] && { useCurrent: true }),
    ...(given.deadline.length > 0 && { deadlines: deadlinesOf(given.deadline) }),
  });
}

/** The file says which conditions an agent of a workflow has. */
function refuseAgentOptions(runId: string, { loaded }: Workflow, given: ResumeInvocation['options']): void {
  const refused = [
    ...(given.without.length === 0 ? [] : ['--without']),
    ...(given['max-tool-calls'] === undefined ? [] : ['--max-tool-calls']),
  ];
  if (refused.length === 0) return;
  throw new UsageError(
    `${refused.join(' and ')} cannot change a run of a workflow file, whose agents follow the file. Change the agent in ${loaded.file}, then: fullstop resume ${runId} --use-current`,
  );
}

function changesOf(given: ResumeInvocation['options']): NonNullable<Segment['changes']> {
  return {
    ...(given['max-iterations'] !== undefined && { maxIterations: given['max-iterations'] }),
    ...(given.tokens !== undefined && { tokens: given.tokens }),
    ...(given.cost !== undefined && { costUsd: given.cost }),
    ...(given.timeout !== undefined && { timeoutMs: readDuration(given.timeout, '--timeout') }),
  };
}

/** The changes for the answers of the agent that ended. */
function answerChanges({ 'max-output-tokens': maxOutputTokens, repair }: ResumeInvocation['options']): {
  readonly settings?: { readonly maxOutputTokens: number };
  readonly repair?: number;
} {
  return {
    ...(maxOutputTokens !== undefined && { settings: { maxOutputTokens } }),
    ...(repair !== undefined && { repair }),
  };
}

/** The changes for the convergence that ended. */
function convergenceChanges({
  'max-cycles': cycles,
  'max-facts': facts,
  settled,
  note,
}: ResumeInvocation['options']): Pick<WorkflowResumeOptions, 'budgets' | 'settled' | 'note'> {
  const budgets = { ...(cycles !== undefined && { cycles }), ...(facts !== undefined && { facts }) };
  return {
    ...(Object.keys(budgets).length > 0 && { budgets }),
    ...(settled.length > 0 && { settled }),
    ...(note !== undefined && { note }),
  };
}

function deadlinesOf(given: readonly string[]): Readonly<Record<string, number>> {
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

/** Opens the next segment of a run whose code is elsewhere, with the changes in the form that its machine reads. */
async function reopen(
  { engine }: Store,
  runId: string,
  ending: Envelope | undefined,
  { options: given, env, terminal }: ResumeInvocation,
): Promise<number> {
  if (ending === undefined) {
    terminal.error(`${runId} is running or ready; a worker of its program continues it.\n`);
    return exitCodes.succeeded;
  }
  const by = given.by ?? userName(env);
  const options = foreignChanges(ending, given, by);
  const receipt = await engine.reopen({ runId, after: ending.segment, because: 'resume', by, options });
  refuseUnopened(receipt, runId);
  terminal.error(`${runId} is open again (segment ${ending.segment + 1}); a worker of its program continues it.\n`);
  return exitCodes.succeeded;
}

/** The changes in the form that agents and other machines of the library read from the entry that opens a segment. */
function foreignChanges(ending: Envelope, given: ResumeInvocation['options'], by: string): JsonObject {
  const path = given.at ?? pathOf(ending);
  const timeMs = given.timeout === undefined ? undefined : readDuration(given.timeout, '--timeout');
  const stopWhen = present([
    ['maxIterations', 'limit', given['max-iterations']],
    ['maxToolCalls', 'limit', given['max-tool-calls']],
    ['tokenBudget', 'total', given.tokens],
    ['costBudget', 'usd', given.cost],
    ['timeout', 'run', timeMs],
  ]);
  const limits = withoutAbsent({ steps: given.steps, tokens: given.tokens, costUsd: given.cost, timeMs });
  return {
    ...(Object.keys(limits).length > 0 && { limits: { [path]: limits } }),
    ...(given.deadline.length > 0 && { deadlines: deadlinesOf(given.deadline) }),
    changes: {
      ...(path !== '' && { at: path }),
      ...(stopWhen.length > 0 && { stopWhen }),
      ...(given.without.length > 0 && { without: [...given.without] }),
      ...(given.guidance !== undefined && { guidance: given.guidance }),
      ...answerChanges(given),
      ...foreignConvergence(given, by, { tokens: given.tokens, costUsd: given.cost, time: timeMs }),
    },
  };
}

/** The same in the form that a convergence reads. */
function foreignConvergence(
  given: ResumeInvocation['options'],
  by: string,
  shared: Readonly<Record<string, number | undefined>>,
): JsonObject {
  const { budgets: own, settled, note } = convergenceChanges(given);
  const budgets = { ...withoutAbsent(shared), ...own };
  if (note !== undefined && settled === undefined) throw new UsageError('--note needs what it settles: --settled REF.');
  return {
    ...(Object.keys(budgets).length > 0 && { budgets }),
    ...(settled !== undefined && { settled: { refs: [...settled], ...(note !== undefined && { note }), by } }),
  };
}

/** The stop conditions, as JSON, whose limit was given. */
function present(
  conditions: readonly (readonly [type: string, field: string, value: number | undefined])[],
): JsonObject[] {
  return conditions.flatMap(([type, field, value]) => (value === undefined ? [] : [{ type, [field]: value }]));
}

function withoutAbsent(values: Readonly<Record<string, number | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as JsonObject;
}

function pathOf({ termination }: Envelope): string {
  let path = '';
  for (let cause = termination; cause.kind === 'child_failed'; cause = cause.termination) path = cause.child.path;
  return path;
}

function refuseUnopened(receipt: ReopenReceipt, runId: string): void {
  if (receipt.status === 'conflict')
    throw new UsageError(`${runId} was resumed by ${receipt.by ?? 'someone else'} first (segment ${receipt.segment}).`);
  if (receipt.status !== 'opened') throw new UsageError(`${runId} cannot be resumed: ${receipt.status}.`);
}
