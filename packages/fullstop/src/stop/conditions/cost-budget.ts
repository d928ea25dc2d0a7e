import { checkOptions, positiveLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';

/** Options of `costBudget`. */
export interface CostBudgetOptions {
  readonly usd: number;
}

/** Ends the run when it has cost this much. A cost that is unknown never reaches it. */
export function costBudget(options: CostBudgetOptions): StopCondition<'cost_budget'> {
  const builder = 'costBudget';
  const limitUsd = positiveLimit(checkOptions(options, builder, ['usd']).usd, { builder, option: 'usd' });
  return defineCondition({
    json: { type: builder, usd: limitUsd },
    kinds: ['cost_budget'],
    slot: 'budget',
    limits: { costUsd: limitUsd },
    evaluate: (_state, { costUsd: usedUsd, estimated }) =>
      usedUsd !== null && usedUsd >= limitUsd
        ? { kind: 'cost_budget', limitUsd, usedUsd, ...(estimated === true && { estimated }) }
        : undefined,
  });
}
