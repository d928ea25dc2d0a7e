import { roundUsd, subtractUsd } from '../../engines/port/money.js';
import type { Charge } from '../../engines/port/usage.js';
import type { Ending } from '../../termination/ending.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState } from './state.js';

/** The cap of the next answer, never more than the budgets have left: so a call exceeds them by its input at most. */
export function outputCap(state: AgentState, rules: AgentRules): number | undefined {
  const { limits, cap: usual } = conditionsOf(rules, state);
  const cap = state.outputCap ?? usual;
  if (cap === undefined) return undefined;
  const { tokens, costUsd } = limits;
  const { usdPerToken } = rules.output;
  const byTokens = tokens === undefined ? cap : tokens - state.usage.totalTokens;
  const isPriced = costUsd !== undefined && usdPerToken !== undefined && usdPerToken > 0;
  const byCost = isPriced ? Math.floor(subtractUsd(costUsd, state.costUsd ?? 0) / usdPerToken) : cap;
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
  const cap = state.outputCap ?? conditionsOf(rules, state).cap;
  const isStarved = 'reason' in spoiled && spoiled.reason === 'thinking_starved';
  if (!isStarved || cap === undefined || raiseBy === undefined || state.starved !== null) return undefined;
  const room = window === undefined ? Number.POSITIVE_INFINITY : window - state.promptTokens;
  const raised = Math.floor(Math.min(cap * raiseBy, room));
  return raised > cap ? raised : undefined;
}
