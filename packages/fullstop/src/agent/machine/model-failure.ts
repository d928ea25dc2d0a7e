import { answerStatus, isBlank } from '../../models/answer-status.js';
import type { ModelResponse } from '../../models/model-response.js';
import { endingOfModelFailure, type FailedModelCall } from '../../run/ending/ending-of-model-failure.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { isCutByBudget } from './output-cap.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState, FailedCall, ModelOutcome } from './state.js';

/** The ending of an answer that cannot be used: it was cut off, filtered, refused or did not fit. Undefined for any other. */
export function endingOfUnusable(
  state: AgentState,
  rules: AgentRules,
  response: ModelResponse,
  { cap, cutBy }: Pick<ModelOutcome, 'cap' | 'cutBy'>,
): Ending | undefined {
  switch (answerStatus(response)) {
    case 'truncated':
      // Then the budget is the reason, and its condition ends the run.
      return cutBy !== undefined || isCutByBudget(state, rules)
        ? undefined
        : endingOfTruncated(response, cap ?? state.outputCap ?? conditionsOf(rules, state).cap);
    case 'overflow':
      return { kind: 'prompt_too_long' } as Ending;
    case 'refused': {
      const { rawFinish, text } = response;
      const reason = text === '' ? 'The answer was withheld.' : text;
      const by = rawFinish === 'refusal' ? 'model' : 'filter';
      return { kind: 'agent_refused', agentId: rules.name, reason, by } as Ending;
    }
    default:
      return undefined;
  }
}

function endingOfTruncated(response: ModelResponse, cap: number | undefined): Ending {
  const isStarved = isBlank(response) && response.toolCalls.length === 0;
  const reason = isStarved ? 'thinking_starved' : 'length';
  return { kind: 'output_truncated', reason, ...(cap !== undefined && { cap }) } as Ending;
}

/** The causes in a failed call; a starved answer before it in the same iteration is one of them. */
export function causesOfFailure(state: AgentState, failure: FailedCall, call: FailedModelCall): readonly Cause[] {
  const { timedOutAfterMs: limitMs, scope } = failure;
  const before: readonly Cause[] = state.starved === null ? [] : [{ slot: 'step_error', termination: state.starved }];
  if (limitMs === undefined || scope === undefined) {
    return [{ slot: 'step_error', termination: endingOfFailure(failure, call) }, ...before];
  }
  const elapsedMs = scope === 'run' ? state.time.activeMs : state.time.activeMs - state.time.iterationMs;
  // The condition whose limit it is fires by itself, unless the timer was a little early.
  if (elapsedMs >= limitMs) return before;
  const termination = { kind: 'time_budget', limitMs, elapsedMs: limitMs, scope } as Ending;
  return [{ slot: 'budget', termination }, ...before];
}

function endingOfFailure(failure: FailedCall, call: FailedModelCall): Ending {
  const { timedOutAfterMs } = failure;
  if (timedOutAfterMs !== undefined) {
    return { kind: 'time_budget', limitMs: timedOutAfterMs, elapsedMs: timedOutAfterMs, scope: 'model' } as Ending;
  }
  return endingOfModelFailure(failure, call);
}
