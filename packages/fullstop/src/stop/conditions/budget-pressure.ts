import type { BudgetPressure } from '../../termination/kinds/limit.js';
import { invalidLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import { hardLimits } from '../hard-limits.js';
import type { HardLimits, LoopObservation } from '../observation.js';

type Resource = BudgetPressure['resource'];

/**
 * When this part of any hard budget is used (time, cost or tokens), the loop tells the model to wrap up in one
 * finalization iteration, and the run ends with it.
 */
export function budgetPressure(ratio: number): StopCondition<'budget_pressure'> {
  if (!(typeof ratio === 'number' && ratio > 0 && ratio < 1)) {
    throw invalidLimit(ratio, { builder: 'budgetPressure', option: 'ratio' }, 'a number between 0 and 1, such as 0.8');
  }
  return defineCondition<'budget_pressure', Resource | null>({
    json: { type: 'budgetPressure', ratio },
    kinds: ['budget_pressure'],
    slot: 'budget',
    restarts: true,
    steers: 'the model would have been told to wrap up',
    init: () => null,
    // Once under pressure, always under pressure: the model was told.
    observe: (state, observation, peers) =>
      state ?? pressed(observation, hardLimits(peers, observation), ratio) ?? null,
    pressure: (resource) => (resource === null ? undefined : { resource, threshold: ratio }),
    evaluate: (resource, { finalization }) =>
      resource === null || finalization === undefined
        ? undefined
        : { kind: 'budget_pressure', threshold: ratio, resource, finalized: finalization.answered },
  });
}

function pressed(
  { activeMs, costUsd, usage }: LoopObservation,
  limits: HardLimits,
  ratio: number,
): Resource | undefined {
  if (isNear(activeMs, limits.timeMs, ratio)) return 'time';
  if (isNear(costUsd ?? 0, limits.costUsd, ratio)) return 'cost';
  return isNear(usage.totalTokens, limits.tokens, ratio) ? 'tokens' : undefined;
}

function isNear(used: number, limit: number | undefined, ratio: number): boolean {
  return limit !== undefined && used >= limit * ratio;
}
