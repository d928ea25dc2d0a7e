import type { FrameworkTable } from '../situation.js';

/** The SDK throws an incomplete response away, and its reason with it. */
const incomplete = { kind: 'indeterminate', candidates: ['output_truncated', 'agent_refused'] };

/** The column of the OpenAI Agents SDK; `run` unless the words say otherwise. */
export const openaiAgentsTable: FrameworkTable = {
  natural_end: { ending: { kind: 'natural_end' }, says: 'finalOutput "done"' },
  step_limit: {
    ending: { kind: 'max_iterations', limit: 2, used: 2, unit: 'turn' },
    says: 'throws MaxTurnsExceededError',
  },
  usual_limit: {
    ending: { kind: 'max_iterations', limit: 10, used: 10, unit: 'turn' },
    says: 'throws MaxTurnsExceededError',
  },
  named_predicate: { ending: { kind: 'tool_called', tool: 'search' }, says: 'finalOutput "found a"' },
  loop: { ending: { kind: 'loop_detected', repeats: 3 }, says: 'throws Error' },
  approval: {
    ending: { kind: 'interaction_pending', requests: [{ type: 'approval', tool: 'deploy', input: { to: 'prod' } }] },
    says: 'interruptions 1',
  },
  client_tool: [
    {
      how: 'a tool without `execute`',
      cannot: 'a tool has to have a function; without one its call fails',
      ending: { kind: 'natural_end' },
      says: 'the model hears "An error occurred while running the tool."; finalOutput "done"',
    },
    {
      how: '`toolUseBehavior: { stopAtToolNames }`',
      ending: { kind: 'tool_called', tool: 'locate' },
      says: 'finalOutput "for the client"',
    },
  ],
  abort_before: { ending: { kind: 'cancelled', by: 'caller' }, says: 'is not called' },
  abort_in_model: { ending: { kind: 'cancelled', by: 'caller', reason: 'enough' }, says: 'throws "enough"' },
  abort_in_tool: { ending: { kind: 'cancelled', by: 'caller', reason: 'enough' }, says: 'throws "enough"' },
  timeout: { ending: { kind: 'time_budget', limitMs: 50, scope: 'run' }, says: 'throws AbortError' },
  status_401: { ending: { kind: 'provider_auth', status: 401 }, says: 'throws Error' },
  status_402: { ending: { kind: 'provider_quota', status: 402 }, says: 'throws Error' },
  status_429: { ending: { kind: 'provider_failed', status: 429, retryAfterMs: 2000 }, says: 'throws Error' },
  status_500: { ending: { kind: 'provider_failed', status: 500 }, says: 'throws Error' },
  context_overflow: { ending: { kind: 'prompt_too_long' }, says: 'throws Error' },
  length: [
    { how: 'Responses', ending: incomplete, says: 'throws ModelBehaviorError' },
    {
      how: 'Responses, a stream',
      ending: { kind: 'output_truncated', reason: 'length' },
      says: 'stream: throws ModelBehaviorError',
    },
    {
      how: 'Chat Completions',
      ending: { kind: 'output_truncated', reason: 'length' },
      says: 'finalOutput "Once upon"',
    },
    {
      how: 'Chat Completions, a stream',
      ending: { kind: 'output_truncated', reason: 'length' },
      says: 'stream: finalOutput "Once upon"',
    },
    {
      how: 'Chat Completions, nothing but thoughts',
      ending: { kind: 'output_truncated', reason: 'thinking_starved' },
      says: 'throws ModelBehaviorError',
    },
  ],
  filter: [
    { how: 'Responses', ending: incomplete, says: 'throws ModelBehaviorError' },
    {
      how: 'Responses, a stream',
      ending: { kind: 'agent_refused', by: 'filter' },
      says: 'stream: throws ModelBehaviorError',
    },
    {
      how: 'Chat Completions',
      ending: { kind: 'agent_refused', by: 'filter' },
      says: 'finalOutput "Once upon"',
    },
    {
      how: 'Chat Completions, nothing is left',
      ending: { kind: 'agent_refused', by: 'filter' },
      says: 'throws ModelRefusalError',
    },
    {
      how: 'the provider answers 400 with the code `content_filter`',
      ending: { kind: 'agent_refused', by: 'filter' },
      says: 'throws Error',
    },
  ],
  refusal: { ending: { kind: 'agent_refused', by: 'model' }, says: 'throws ModelRefusalError' },
  malformed_call: { ending: { kind: 'natural_end' }, says: 'finalOutput "done"' },
  throwing_tool: { ending: { kind: 'natural_end' }, says: 'finalOutput "done"' },
  sub_agent_limit: { ending: { kind: 'natural_end' }, says: 'finalOutput "done"' },
  interrupt: {
    how: 'a tool throws, in order to ask',
    cannot: 'a run interrupts itself only for approvals',
    ending: { kind: 'natural_end' },
    says: 'the model hears "An error occurred while running the tool."; finalOutput "done"',
  },
  budget: { ending: { kind: 'token_budget', limit: 100 }, says: 'throws Error' },
  empty_answer: {
    ending: { kind: 'max_iterations', limit: 10, unit: 'turn' },
    says: 'throws MaxTurnsExceededError',
  },
  stream_cut: { ending: { kind: 'provider_failed' }, says: 'stream: throws Error' },
};
