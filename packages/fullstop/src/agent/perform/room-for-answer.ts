import { addCharges } from '../../engines/port/add-charges.js';
import type { Charge } from '../../engines/port/usage.js';
import { type Room, wholeTokens } from '../../run/accounts/share.js';
import type { StepAttempt } from '../../run/run-context.js';
import { Attempt } from '../../run/unit/step-attempt.js';
import type { Ending } from '../../termination/ending.js';

/** The cap of an answer within what the budgets around the agent have left. */
export function capWithin(attempt: StepAttempt, cap: number, usdPerToken: number | undefined): number {
  const { byTokens, byCost } = tokensOf(Attempt.roomOf(attempt), usdPerToken);
  return Math.max(1, Math.min(cap, byTokens, byCost));
}

/** The cap that an answer had, and all that was charged for it. */
interface CappedAnswer {
  readonly cap: number | undefined;
  readonly usdPerToken: number | undefined;
  readonly charges: readonly Charge[];
}

/** The ending of an agent whose answer was cut because a budget around it left no more. */
export function endingOfCut(attempt: StepAttempt, { cap, usdPerToken, charges }: CappedAnswer): Ending | undefined {
  if (cap === undefined) return undefined;
  const { byTokens, byCost } = tokensOf(Attempt.roomOf(attempt), usdPerToken);
  const least = Math.max(1, Math.min(byTokens, byCost));
  if (cap < least) return undefined;
  return Attempt.endingBy(attempt, byTokens <= byCost ? 'tokens' : 'cost', charges.reduce(addCharges));
}

interface TokensLeft {
  readonly byTokens: number;
  readonly byCost: number;
}

function tokensOf({ tokens, cost }: Room, usdPerToken: number | undefined): TokensLeft {
  const isPriced = cost !== undefined && usdPerToken !== undefined && usdPerToken > 0;
  return {
    byTokens: tokens?.left ?? Number.POSITIVE_INFINITY,
    byCost: isPriced ? wholeTokens(cost.left, usdPerToken) : Number.POSITIVE_INFINITY,
  };
}
