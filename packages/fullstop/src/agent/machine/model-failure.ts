import { codeOf, type ModelFailure } from '../../models/errors/classify-model-error.js';
import type { ModelResponse } from '../../models/model-response.js';
import { classifyError } from '../../run/ending/classify-error.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { cutText } from '../../termination/text/wording.js';
import { isCutByBudget } from './output-cap.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState, FailedCall } from './state.js';

/** The ending of an answer that cannot be used: it was cut off, filtered or refused. Undefined for any other. */
export function endingOfUnusable(state: AgentState, rules: AgentRules, response: ModelResponse): Ending | undefined {
  const { finish, rawFinish, text, toolCalls } = response;
  if (finish === 'length') {
    // Then the budget is the reason, and its condition ends the run.
    if (isCutByBudget(state, rules)) return undefined;
    const isStarved = text.trim() === '' && toolCalls.length === 0;
    const cap = state.outputCap ?? conditionsOf(rules, state).cap;
    const reason = isStarved ? 'thinking_starved' : 'length';
    return { kind: 'output_truncated', reason, ...(cap !== undefined && { cap }) } as Ending;
  }
  const byModel = rawFinish === 'refusal';
  if (finish !== 'content_filter' && !byModel) return undefined;
  const reason = text === '' ? 'The answer was withheld.' : text;
  return { kind: 'agent_refused', agentId: rules.name, reason, by: byModel ? 'model' : 'filter' } as Ending;
}

/** The causes in a failed call; a starved answer before it in the same iteration is one of them. */
export function causesOfFailure(state: AgentState, failure: FailedCall, attempts: number): readonly Cause[] {
  const { timedOutAfterMs: limitMs, scope } = failure;
  const before: readonly Cause[] = state.starved === null ? [] : [{ slot: 'step_error', termination: state.starved }];
  if (limitMs === undefined || scope === undefined) {
    return [{ slot: 'step_error', termination: endingOfFailure(failure, attempts) }, ...before];
  }
  const elapsedMs = scope === 'run' ? state.time.activeMs : state.time.activeMs - state.time.iterationMs;
  // The condition whose limit it is fires by itself, unless the timer was a little early.
  if (elapsedMs >= limitMs) return before;
  const termination = { kind: 'time_budget', limitMs, elapsedMs: limitMs, scope } as Ending;
  return [{ slot: 'budget', termination }, ...before];
}

/** Some providers answer with whole pages; the beginning is enough to recognise them. */
const longestMessage = 1000;

function endingOfFailure(failure: FailedCall, attempts: number): Ending {
  const { type, status, provider, retryAfterMs, limit, used, error, timedOutAfterMs } = failure;
  if (timedOutAfterMs !== undefined) {
    return { kind: 'time_budget', limitMs: timedOutAfterMs, elapsedMs: timedOutAfterMs, scope: 'model' } as Ending;
  }
  if (type === 'auth') return { kind: 'provider_auth', status: status ?? 401, provider } as Ending;
  if (type === 'context_length') {
    const sizes = { ...(limit !== undefined && { limit }), ...(used !== undefined && { used }) };
    return { kind: 'prompt_too_long', ...sizes } as Ending;
  }
  if (type === 'rate_limit' || type === 'unavailable' || type === 'malformed') {
    const code = codeOf(error);
    return {
      kind: 'provider_failed',
      ...(status !== undefined && { status }),
      attempts,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(provider !== '' && { provider }),
      ...(code !== undefined && { code }),
      ...(error.message !== '' && { message: cutText(error.message, longestMessage) }),
    } as Ending;
  }
  return { kind: 'failed', error, origin: 'loop', errorClass: classOf(failure) } as Ending;
}

function classOf({ type, error }: ModelFailure): string {
  if (type === 'invalid_request') return 'configuration';
  return type === 'aborted' ? 'external' : classifyError(error);
}
