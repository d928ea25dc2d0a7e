import type { Envelope } from '../engines/port/envelope.js';
import type { ResumeOptions } from '../run/define-run.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { JsonObject } from '../termination/json.js';
import { causeChain, rootCause } from '../termination/root-cause.js';
import type { WorkflowResumeOptions } from './workflow.js';

type Resumption = ResumeOptions & Pick<WorkflowResumeOptions, 'engine'>;

/** Turns what a resume asks for into options of the run. A resume that would stop at once is refused. */
export function resumeChanges(before: Envelope | undefined, options: WorkflowResumeOptions): Resumption {
  const { maxIterations, budgetUsd, timeoutSeconds, skipGates, useCurrent: _useCurrent, limits, at, ...rest } = options;
  if (before !== undefined) refuseUnchanged(before, options);
  const path = at ?? (before === undefined ? undefined : pathOfCause(before)) ?? '';
  const changes: JsonObject = {
    at: path,
    ...(maxIterations !== undefined && { maxIterations }),
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(skipGates !== undefined && { skipGates }),
  };
  const time = timeoutSeconds === undefined ? {} : { timeMs: timeoutSeconds * 1000 };
  // These two limits belong to the machine, so the run itself has nothing to refuse.
  const isOurs = before !== undefined && limitOfMachine(before) !== undefined;
  return {
    ...rest,
    ...((limits !== undefined || timeoutSeconds !== undefined) && { limits: { ...limits, ...time } }),
    ...((at !== undefined || isOurs) && { at: path }),
    changes,
  };
}

/** The workflow that stopped: the run itself, or the sub-workflow at the end of the chain. */
function pathOfCause({ termination }: Envelope): string {
  return causeChain(termination).at(-1)?.child.path ?? '';
}

interface MachineLimit {
  readonly option: 'maxIterations' | 'budgetUsd';
  readonly used: number;
}

function limitOfMachine({ termination }: Envelope): MachineLimit | undefined {
  const cause = rootCause(termination);
  if (cause.kind === 'max_iterations' && cause.unit === 'step') return { option: 'maxIterations', used: cause.used };
  if (cause.kind === 'cost_budget') return { option: 'budgetUsd', used: cause.usedUsd };
  return undefined;
}

/** An agent has its limit from the file, which a resume can only replace as a whole. */
function refuseAgentLimit(before: Envelope, { useCurrent, at }: WorkflowResumeOptions): void {
  const cause = rootCause(before.termination);
  if (cause.kind !== 'max_iterations' || cause.unit !== 'iteration' || useCurrent === true || at !== undefined) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${before.runId} would stop at once: ${before.summary} Raise max_agent_iterations in the file, then resume with useCurrent.`,
  );
}

function refuseUnchanged(before: Envelope, options: WorkflowResumeOptions): void {
  refuseAgentLimit(before, options);
  const limit = limitOfMachine(before);
  if (limit === undefined || options.at !== undefined) return;
  const wanted = options[limit.option];
  if (wanted !== undefined && wanted > limit.used) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${before.runId} would stop at once: ${before.summary} Resume it with ${limit.option} above ${limit.used}.`,
  );
}
