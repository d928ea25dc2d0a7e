import { checkOptions, wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';

/** Options of `tokenBudget`. */
export interface TokenBudgetOptions {
  /** Input and output tokens of all calls together. */
  readonly total: number;
}

/** Ends the run when it has used this many tokens. */
export function tokenBudget(options: TokenBudgetOptions): StopCondition<'token_budget'> {
  const builder = 'tokenBudget';
  const limit = wholeLimit(checkOptions(options, builder, ['total']).total, { builder, option: 'total' });
  return defineCondition({
    json: { type: builder, total: limit },
    kinds: ['token_budget'],
    slot: 'budget',
    limits: { tokens: limit },
    evaluate: (_state, { usage: { totalTokens: used }, estimated }) =>
      used >= limit ? { kind: 'token_budget', limit, used, ...(estimated === true && { estimated }) } : undefined,
  });
}
