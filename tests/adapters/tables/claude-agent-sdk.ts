import type { FrameworkTable } from '../situation.js';

const failed = 'success with is_error, api_error; throws Error';

/** The column of the Claude Agent SDK; retries are switched off, as it makes ten of them with long waits. */
export const claudeAgentSdkTable: FrameworkTable = {
  natural_end: { ending: { kind: 'natural_end' }, says: 'success, completed' },
  step_limit: {
    ending: { kind: 'max_iterations', limit: 2, used: 2, unit: 'turn' },
    says: 'error_max_turns with is_error, max_turns; throws Error',
  },
  usual_limit: {
    how: '30 turns with a call each, then an answer',
    cannot: 'the SDK has no limit of turns unless it is given one',
    ending: { kind: 'natural_end' },
    says: '31 turns; success, completed',
  },
  named_predicate: { ending: { kind: 'halted', by: { type: 'hook', name: 'hook' } }, says: 'success, hook_stopped' },
  loop: { ending: { kind: 'loop_detected', repeats: 3 }, says: 'success, hook_stopped' },
  approval: {
    ending: {
      kind: 'interaction_pending',
      requests: [{ type: 'approval', tool: 'mcp__my__deploy', input: { to: 'prod' } }],
    },
    says: 'success, tool_deferred',
  },
  client_tool: {
    how: 'a tool without a function',
    cannot: 'a tool has to have a function; without one its call fails',
    ending: { kind: 'natural_end' },
    says: 'the model hears an error; success, completed',
  },
  abort_before: { ending: { kind: 'cancelled', by: 'caller' }, says: 'is not called' },
  abort_in_model: { ending: { kind: 'cancelled', by: 'caller', reason: 'enough' }, says: 'throws Error' },
  abort_in_tool: { ending: { kind: 'cancelled', by: 'caller', reason: 'enough' }, says: 'throws Error' },
  timeout: { ending: { kind: 'time_budget', limitMs: 50, scope: 'run' }, says: 'throws Error' },
  status_401: { ending: { kind: 'provider_auth', status: 401 }, says: failed },
  status_402: { ending: { kind: 'provider_quota', status: 402 }, says: failed },
  status_429: { ending: { kind: 'provider_failed', status: 429 }, says: failed },
  status_500: { ending: { kind: 'provider_failed', status: 500 }, says: failed },
  context_overflow: {
    ending: { kind: 'prompt_too_long' },
    says: 'success with is_error, prompt_too_long; throws Error',
  },
  length: { ending: { kind: 'output_truncated', reason: 'length' }, says: failed },
  filter: [
    {
      how: 'the API answers 400, blocked by its content filtering policy',
      ending: { kind: 'agent_refused', by: 'filter' },
      says: failed,
    },
    {
      how: "a gateway's `stop_reason` is `content_filter`",
      ending: { kind: 'agent_refused', by: 'filter' },
      says: 'success, completed',
    },
  ],
  refusal: { ending: { kind: 'agent_refused', by: 'model' }, says: failed },
  malformed_call: { ending: { kind: 'natural_end' }, says: 'success, completed' },
  throwing_tool: { ending: { kind: 'natural_end' }, says: 'success, completed' },
  sub_agent_limit: { ending: { kind: 'natural_end' }, says: 'success, completed' },
  interrupt: [
    {
      how: '`AskUserQuestion`, deferred by a hook',
      ending: { kind: 'interaction_pending', requests: [{ type: 'input', tool: 'AskUserQuestion' }] },
      says: 'success, tool_deferred',
    },
    {
      how: '`AskUserQuestion` without `canUseTool`',
      cannot: 'without it there is no such tool',
      ending: { kind: 'natural_end' },
      says: 'the model hears an error; success, completed',
    },
  ],
  budget: { ending: { kind: 'token_budget', limit: 100 }, says: 'success, hook_stopped' },
  empty_answer: { ending: { kind: 'no_answer' }, says: 'success, completed' },
  stream_cut: { ending: { kind: 'provider_failed' }, says: failed },
};
