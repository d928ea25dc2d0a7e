import type { Envelope } from '../engines/port/envelope.js';
import { convergenceChanges, refuseUnasked, refuseUnchangedBudget } from '../pipeline/options/convergence-changes.js';
import type { ResumeOptions } from '../run/run-options.js';
import { positiveLimit } from '../stop/check-option.js';
import { stopConditionsToJson } from '../stop/condition-json.js';
import { maxIterations as iterationLimit } from '../stop/conditions/max-iterations.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { JsonObject } from '../termination/json.js';
import { causeChain, rootCause } from '../termination/root-cause.js';
import type { StoredSource } from './stored-source.js';
import type { WorkflowResumeOptions } from './workflow.js';

type Resumption = ResumeOptions & Pick<WorkflowResumeOptions, 'engine'>;

/** Turns what a resume asks for into options of the run. A resume that would stop at once is refused. */
export function resumeChanges(
  before: Envelope | undefined,
  options: WorkflowResumeOptions,
  source: StoredSource,
): Resumption {
  const { maxIterations, budgetUsd, skipGates, guidance, timeoutSeconds, useCurrent, limits, at, ...others } = options;
  const { budgets: _budgets, facts: _facts, settled: _settled, note: _note, ...rest } = others;
  if (budgetUsd !== undefined) positiveLimit(budgetUsd, { builder: 'resume', option: 'budgetUsd' });
  if (before !== undefined) refuseUnchanged(before, options);
  const path = at ?? (before === undefined ? undefined : pathOfCause(before)) ?? '';
  if (guidance !== undefined && path === '') throw nobodyToGuide();
  const changes = {
    ...machineChanges(options, useCurrent === true && before !== undefined ? source : undefined),
    ...changesOfConvergence(options, path),
  };
  const time = timeoutSeconds === undefined ? {} : { timeMs: timeoutSeconds * 1000 };
  // These two limits belong to the machine, so the run itself has nothing to refuse.
  const isOurs = before !== undefined && limitOfMachine(before) !== undefined;
  return {
    ...rest,
    ...((limits !== undefined || timeoutSeconds !== undefined) && { limits: { ...limits, ...time } }),
    ...((at !== undefined || isOurs) && { at: path }),
    // A place alone asks for nothing: it must not open a segment behind one that was just finished.
    ...(Object.keys(changes).length > 0 && { changes: { at: path, ...changes } }),
  };
}

/** What the machines of the run are told. Without a word for them there is nothing. */
function machineChanges(
  { maxIterations, budgetUsd, skipGates, guidance }: WorkflowResumeOptions,
  source: StoredSource | undefined,
): JsonObject {
  return {
    // A workflow counts steps, an agent iterations: whichever of them stands at the path takes its own.
    ...(maxIterations !== undefined && {
      maxIterations,
      stopWhen: stopConditionsToJson([iterationLimit(maxIterations)]),
    }),
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(skipGates !== undefined && { skipGates }),
    ...(guidance !== undefined && { guidance }),
    // Later resumes go on with these files too. A segment that was left without an ending has no place for them.
    ...(source !== undefined && { source: source as unknown as JsonObject }),
  };
}

/** What the convergence at a path is told, if one stands there: a new budget is for it as well. */
function changesOfConvergence(options: WorkflowResumeOptions, path: string): JsonObject {
  const { budgets, budgetUsd } = options;
  if (path !== '' && budgetUsd !== undefined)
    return convergenceChanges({ ...options, budgets: { costUsd: budgetUsd, ...budgets } }, options.by);
  const changes = convergenceChanges(options, options.by);
  if (path === '' && Object.keys(changes).length > 0) throw noConvergence();
  return changes;
}

/** The workflow that stopped: the run itself, or the sub-workflow at the end of the chain. */
function pathOfCause({ termination }: Envelope): string {
  return causeChain(termination).at(-1)?.child.path ?? '';
}

function nobodyToGuide(): FullstopError {
  const message = "Guidance is for an agent step, and the run did not end in one; name the step with at: 'path'.";
  return new FullstopError('INVALID_OPTION', message);
}

function noConvergence(): FullstopError {
  const message =
    "Budgets, facts and what is settled are for a convergence step, and the run did not end in one; name the step with at: 'path'.";
  return new FullstopError('INVALID_OPTION', message);
}

interface MachineLimit {
  readonly option: 'maxIterations' | 'budgetUsd';
  readonly used: number;
  /** True when the file as it is now may have another limit. */
  readonly inFile: boolean;
}

function limitOfMachine({ termination }: Envelope): MachineLimit | undefined {
  const cause = rootCause(termination);
  if (cause.kind === 'cost_budget') return { option: 'budgetUsd', used: cause.usedUsd, inFile: false };
  if (cause.kind !== 'max_iterations') return undefined;
  if (cause.unit !== 'step' && cause.unit !== 'iteration') return undefined;
  return { option: 'maxIterations', used: cause.used, inFile: cause.unit === 'iteration' };
}

function refuseUnchanged(before: Envelope, options: WorkflowResumeOptions): void {
  if (options.at !== undefined) return;
  refuseUnchangedBudget(options, before.termination);
  refuseUnasked(options, before.termination);
  const limit = limitOfMachine(before);
  if (limit === undefined || (limit.inFile && options.useCurrent === true)) return;
  const wanted = options[limit.option] ?? (limit.option === 'budgetUsd' ? options.budgets?.costUsd : undefined);
  if (wanted !== undefined && wanted > limit.used) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${before.runId} would stop at once: ${before.summary} Resume it with ${limit.option} above ${limit.used}.`,
  );
}
