import { roundUsd, subtractUsd } from '../../engines/port/money.js';
import type { Charge } from '../../engines/port/usage.js';
import { wholeTokens } from '../../run/accounts/share.js';
import type { InFlightLimits } from '../../stop/condition.js';
import type { Ending } from '../../termination/ending.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState } from './state.js';

/** The cap of the next answer, never more than the budgets have left: so a call exceeds them by its input at most. */
export function outputCap(state: AgentState, rules: AgentRules): number | undefined {
  const { limits, cap: usual } = conditionsOf(rules, state);
  const cap = state.outputCap ?? usual;
  return cap === undefined ? undefined : boundCap(cap, state, limits, rules.output.usdPerToken);
}

/** The cap of a call with settings of its own, by the price of the model that is asked. A cap that was raised, by the loop or a resume, stays so. */
export function ownOutputCap(
  own: number | undefined,
  { state, rules, usdPerToken }: { state: AgentState; rules: AgentRules; usdPerToken: number | undefined },
): number | undefined {
  const { limits, cap: usual } = conditionsOf(rules, state);
  const changed = usual === rules.conditions[0]?.cap ? 0 : (usual ?? 0);
  const cap = own === undefined ? (state.outputCap ?? usual) : Math.max(own, state.outputCap ?? changed);
  return cap === undefined ? undefined : boundCap(cap, state, limits, usdPerToken);
}

function boundCap(
  cap: number,
  state: AgentState,
  { tokens, costUsd }: InFlightLimits,
  usdPerToken: number | undefined,
): number {
  const byTokens = tokens === undefined ? cap : tokens - state.usage.totalTokens;
  const isPriced = costUsd !== undefined && usdPerToken !== undefined && usdPerToken > 0;
  const byCost = isPriced ? wholeTokens(subtractUsd(costUsd, state.costUsd ?? 0), usdPerToken) : cap;
  return Math.max(1, Math.min(cap, byTokens, byCost));
}

/** The usage that an answer may have, reserved before the call so that others in the same budgets cannot use it too. */
export function outputReserve(state: AgentState, rules: AgentRules): Charge | undefined {
  const outputTokens = outputCap(state, rules);
  if (outputTokens === undefined) return undefined;
  const { usdPerToken } = rules.output;
  return usdPerToken === undefined ? { outputTokens } : { outputTokens, costUsd: roundUsd(outputTokens * usdPerToken) };
}

/** True when an answer was cut because a budget allowed no more. */
export function isCutByBudget(state: AgentState, rules: AgentRules): boolean {
  const { tokens, costUsd } = conditionsOf(rules, state).limits;
  const { usage, costUsd: used } = state;
  return (tokens !== undefined && usage.totalTokens >= tokens) || (costUsd !== undefined && (used ?? 0) >= costUsd);
}

/** The cap for one more try when the model used up all of it without an answer; undefined when there is none. */
export function raisedCap(state: AgentState, rules: AgentRules, spoiled: Ending): number | undefined {
  const { raiseBy, window } = rules.output;
  const cap = 'cap' in spoiled ? (spoiled.cap as number) : undefined;
  const isStarved = 'reason' in spoiled && spoiled.reason === 'thinking_starved';
  if (!isStarved || cap === undefined || raiseBy === undefined || state.starved !== null) return undefined;
  const room = window === undefined ? Number.POSITIVE_INFINITY : window - state.promptTokens;
  const raised = Math.floor(Math.min(cap * raiseBy, room));
  return raised > cap ? raised : undefined;
}
