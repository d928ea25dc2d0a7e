import { hardLimits } from '../../stop/hard-limits.js';
import type { HardLimits } from '../../stop/observation.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { causeChain } from '../../termination/root-cause.js';
import type { PipelineResumeOptions } from '../pipeline-definition.js';
import type { WorkRules } from './work-rules.js';

interface ReachedLimit {
  readonly name: keyof HardLimits;
  readonly used: number;
  /** The condition of agents with such a limit, and how one is written. */
  readonly condition: string;
  readonly written: string;
}

/**
 * Refuses a resume after which a stage would stop at once, because the tokens, dollars or time that it may use are what they were.
 * They may be those of its agent, which only conditions change, or those of the stage, which conditions and limits change.
 */
export function refuseUnchangedLimit(
  { stopWhen = [], without = [], limits = {}, budgets = {} }: Omit<PipelineResumeOptions, 'engine'>,
  before: Ending | undefined,
  own: Pick<WorkRules, 'stopWhen'> | undefined,
): void {
  const link = before === undefined ? undefined : causeChain(before).at(-1);
  const reached = link === undefined ? undefined : limitReached(link.termination);
  if (link === undefined || reached === undefined || without.includes(reached.condition)) return;
  const { name, used, written } = reached;
  const raised = hardLimits(stopWhen)[name];
  if (raised !== undefined && raised > used) return;
  const ofAgent = raised ?? hardLimits(own?.stopWhen ?? [])[name];
  if (ofAgent !== undefined && ofAgent <= used)
    throw unchanged(link.child.name, { used, option: 'stopWhen', change: `stopWhen: [${written}]` });
  if (isRaised(reached, { limits, budgets })) return;
  throw unchanged(link.child.name, { used, option: `limits.${name}`, change: `limits: { ${name}: … }` });
}

/** True where the stage, or the convergence in it, gets more. What is too little for a convergence was refused before. */
function isRaised(
  { name, used }: ReachedLimit,
  { limits, budgets }: Required<Pick<PipelineResumeOptions, 'limits' | 'budgets'>>,
): boolean {
  const limit = limits[name];
  if (limit === null || (limit !== undefined && limit > used)) return true;
  return name === 'timeMs' ? limits.deadline !== undefined || budgets.time !== undefined : budgets[name] !== undefined;
}

function unchanged(
  stage: string,
  { used, option, change }: { readonly used: number; readonly option: string; readonly change: string },
): FullstopError {
  const message = `The stage ${stage} would stop at once: resume it with ${change} above ${used}.`;
  return new FullstopError('LIMIT_UNCHANGED', message, { details: { option, used } });
}

/** The limit that an ending is about. A reservation may have been refused although less was used than the limit allows. */
function limitReached(ending: AnyTermination): ReachedLimit | undefined {
  switch (ending.kind) {
    case 'token_budget': {
      const used = Math.max(ending.used, ending.limit);
      return { name: 'tokens', used, condition: 'tokenBudget', written: 'tokenBudget({ total: … })' };
    }
    case 'cost_budget': {
      const used = Math.max(ending.usedUsd, ending.limitUsd);
      return { name: 'costUsd', used, condition: 'costBudget', written: 'costBudget({ usd: … })' };
    }
    case 'time_budget': {
      if (ending.scope !== 'run' && ending.scope !== 'stage') return undefined;
      return { name: 'timeMs', used: ending.elapsedMs, condition: 'timeout', written: 'timeout({ run: … })' };
    }
    default:
      return undefined;
  }
}
