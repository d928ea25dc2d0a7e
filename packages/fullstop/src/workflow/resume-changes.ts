import type { Envelope } from '../engines/port/envelope.js';
import type { ConvergenceBudgets } from '../run/changes/budgets.js';
import { refuseUnasked, refuseUnchangedBudget } from '../run/changes/refuse-unchanged.js';
import { checkChanges, writeChanges } from '../run/changes/resume-changes.js';
import type { ResumeOptions } from '../run/run-options.js';
import { positiveLimit } from '../stop/check-option.js';
import type { StopCondition } from '../stop/condition.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { maxIterations as iterationLimit } from '../stop/conditions/max-iterations.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { JsonObject } from '../termination/json.js';
import type { AnyTermination } from '../termination/kinds.js';
import { causeChain, rootCause } from '../termination/root-cause.js';
import type { LoadedDocument } from './load/loaded-document.js';
import type { StoredSource } from './run-input.js';
import type { WorkflowResumeOptions } from './workflow.js';

type Resumption = ResumeOptions & Pick<WorkflowResumeOptions, 'engine'>;

interface ResumePlace {
  readonly before: Envelope | undefined;
  /** The files as they are now. */
  readonly source: StoredSource;
  /** The agent that was at work when the run was stopped from outside: what is said is said to it. */
  readonly interrupted: string | undefined;
}

/** Turns the options of a resume into those of the run. A resume that would stop at once is refused. */
export function readResumeOptions(
  options: WorkflowResumeOptions,
  { before, source, interrupted }: ResumePlace,
): Resumption {
  const { maxIterations, budgetUsd, skipGates, guidance, timeoutSeconds, useCurrent, limits, at, ...others } = options;
  const { budgets: _b, facts: _f, settled: _s, note: _n, settings: _o, repair: _r, ...rest } = others;
  if (budgetUsd !== undefined) positiveLimit(budgetUsd, { builder: 'resume', option: 'budgetUsd' });
  checkChanges(options);
  if (before !== undefined) refuseUnchanged(before, options);
  const path = at ?? (before === undefined ? undefined : pathOfCause(before)) ?? '';
  const changes = {
    ...changesAt(options, { path, before, interrupted: at === undefined ? interrupted : undefined }),
    ...(skipGates !== undefined && { skipGates }),
    // Later resumes continue with these files too. A segment that was left without an ending has no place for them.
    ...(useCurrent === true && before !== undefined && { source: source as unknown as JsonObject }),
  };
  const time = timeoutSeconds === undefined ? {} : { timeMs: timeoutSeconds * 1000 };
  // These two limits belong to the machine, so the run itself has nothing to refuse.
  const isOurs = before !== undefined && limitOfMachine(before) !== undefined;
  return {
    ...rest,
    ...((limits !== undefined || timeoutSeconds !== undefined) && { limits: { ...limits, ...time } }),
    ...((at !== undefined || isOurs) && { at: path }),
    // A path alone asks for nothing: it must not open a segment after one that was just finished.
    ...(Object.keys(changes).length > 0 && { changes: { at: path, ...changes } }),
  };
}

interface ChangesPlace {
  readonly path: string;
  readonly before: Envelope | undefined;
  readonly interrupted: string | undefined;
}

/** The changes at their places. What is said to an agent that was interrupted is for it alone: limits stay those of what ended. */
function changesAt(options: WorkflowResumeOptions, { path, before, interrupted }: ChangesPlace): JsonObject {
  if (interrupted === undefined || interrupted === path)
    return { ...changesOfWorkflow(options), ...changesOfUnits(options, path, before) };
  const { guidance, settings, repair, ...rest } = options;
  const said = {
    ...(guidance !== undefined && { guidance }),
    ...(settings !== undefined && { settings }),
    ...(repair !== undefined && { repair }),
  };
  const others = { ...changesOfWorkflow(rest), ...changesOfUnits(rest, path, before) };
  const isChanged = Object.keys(others).length > 0;
  return {
    at: interrupted,
    ...writeChanges(said, options.by),
    ...(isChanged && { others: [{ at: path, ...others }] }),
  };
}

/** The changes for the workflow at the path. */
function changesOfWorkflow({ maxIterations, budgetUsd }: WorkflowResumeOptions): JsonObject {
  return {
    ...(maxIterations !== undefined && { maxIterations }),
    ...(budgetUsd !== undefined && { budgetUsd }),
  };
}

/** The changes for the agent or the convergence at the path, if there is one. */
function changesOfUnits(options: WorkflowResumeOptions, path: string, before: Envelope | undefined): JsonObject {
  const { guidance, settings, repair, budgets, facts, settled } = options;
  if (path === '' && [guidance, settings, repair].some((each) => each !== undefined)) throw noAgent();
  if (path === '' && [budgets, facts, settled].some((each) => each !== undefined)) throw noConvergence();
  const raised = path === '' ? {} : raisedBudgets(options, before);
  const stopWhen = [...conditionsOf(options), ...conditionsOf(raised)];
  const changes = {
    ...options,
    ...(stopWhen.length > 0 && { stopWhen }),
    ...(Object.keys(raised).length > 0 && { budgets: { ...raised, ...budgets } }),
  };
  return writeChanges(changes, options.by);
}

/** The new budgets that are meant for the agent or the convergence that ended, which may have a budget of its own. */
function raisedBudgets(
  { budgetUsd, limits, timeoutSeconds }: WorkflowResumeOptions,
  before: Envelope | undefined,
): Pick<ConvergenceBudgets, 'tokens' | 'costUsd'> & { readonly time?: number } {
  const cause = before && rootCause(before.termination);
  const tokens = cause?.kind === 'token_budget' ? limits?.tokens : undefined;
  const time = cause?.kind === 'time_budget' && cause.scope === 'run' ? timeoutSeconds : undefined;
  return {
    ...(typeof tokens === 'number' && { tokens }),
    ...(budgetUsd !== undefined && { costUsd: budgetUsd }),
    ...(time !== undefined && { time: time * 1000 }),
  };
}

interface AgentLimits {
  readonly maxIterations?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly time?: number;
}

/** New limits as conditions. A workflow counts steps, an agent iterations: whichever of them is at the path takes its own. */
function conditionsOf({ maxIterations, tokens, costUsd, time }: AgentLimits): readonly StopCondition<string>[] {
  return [
    ...(maxIterations === undefined ? [] : [iterationLimit(maxIterations)]),
    ...(tokens === undefined ? [] : [tokenBudget({ total: tokens })]),
    ...(costUsd === undefined ? [] : [costBudget({ usd: costUsd })]),
    ...(time === undefined ? [] : [timeout({ run: time })]),
  ];
}

/** The workflow that stopped: the run itself, or the sub-workflow at the end of the chain. */
function pathOfCause({ termination }: Envelope): string {
  return causeChain(termination).at(-1)?.child.path ?? '';
}

function noAgent(): FullstopError {
  const message =
    "Guidance, settings and repair are for an agent step, and the run did not end in one; name the step with at: 'path'.";
  return new FullstopError('INVALID_OPTION', message);
}

function noConvergence(): FullstopError {
  const message =
    "Budgets, facts and what is settled are for a convergence step, and the run did not end in one; name the step with at: 'path'.";
  return new FullstopError('INVALID_OPTION', message);
}

/** The limit that ended the run, as the file has it now; empty where another one did, or one of a unit inside. */
export function raisedInFile(before: Envelope, { workflow }: LoadedDocument['document']): WorkflowLimits {
  const { termination } = before as { readonly termination: AnyTermination };
  const { max_iterations: maxIterations, budget_usd: budgetUsd, timeout_seconds: timeoutSeconds } = workflow.limits;
  switch (termination.kind) {
    case 'max_iterations':
      return { maxIterations };
    case 'cost_budget':
      return budgetUsd === undefined ? {} : { budgetUsd };
    case 'time_budget':
      return timeoutSeconds === undefined ? {} : { timeoutSeconds };
    default:
      return {};
  }
}

type WorkflowLimits = Pick<WorkflowResumeOptions, 'maxIterations' | 'budgetUsd' | 'timeoutSeconds'>;

interface MachineLimit {
  readonly option: 'maxIterations' | 'budgetUsd';
  readonly used: number;
  /** True when the file as it is now may have another limit. */
  readonly inFile: boolean;
}

function limitOfMachine({ termination }: Envelope): MachineLimit | undefined {
  const cause = rootCause(termination);
  if (cause.kind === 'cost_budget')
    return { option: 'budgetUsd', used: Math.max(cause.usedUsd, cause.limitUsd), inFile: false };
  if (cause.kind !== 'max_iterations') return undefined;
  if (cause.unit !== 'step' && cause.unit !== 'iteration') return undefined;
  return { option: 'maxIterations', used: cause.used, inFile: cause.unit === 'iteration' };
}

function refuseUnchanged(before: Envelope, options: WorkflowResumeOptions): void {
  if (options.at !== undefined) return;
  refuseUnchangedBudget(options, before.termination);
  refuseUnasked(options, before.termination);
  const limit = limitOfMachine(before);
  // A unit inside takes its limits from the file whenever it is replayed.
  const isInside = pathOfCause(before) !== '';
  if (limit === undefined || ((limit.inFile || isInside) && options.useCurrent === true)) return;
  const wanted = options[limit.option] ?? (limit.option === 'budgetUsd' ? options.budgets?.costUsd : undefined);
  if (wanted !== undefined && wanted > limit.used) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${before.runId} would stop at once: ${before.summary} Resume it with ${limit.option} above ${limit.used}.`,
    { details: { option: limit.option, used: limit.used, runId: before.runId, summary: before.summary } },
  );
}
