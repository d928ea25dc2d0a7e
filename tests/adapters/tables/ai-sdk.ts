import type { FrameworkTable } from '../situation.js';

/** The column of the AI SDK, the same for ai 6 and 7; `generateText` unless the words say otherwise. */
export const aiSdkTable: FrameworkTable = {
  natural_end: { ending: { kind: 'natural_end' }, says: "finishReason 'stop'" },
  step_limit: {
    ending: { kind: 'max_iterations', limit: 2, used: 2, unit: 'step' },
    says: "finishReason 'tool-calls'",
  },
  usual_limit: {
    ending: { kind: 'max_iterations', limit: 1, used: 1, unit: 'step' },
    says: "finishReason 'tool-calls'",
  },
  named_predicate: { ending: { kind: 'tool_called', tool: 'search' }, says: "finishReason 'tool-calls'" },
  loop: { ending: { kind: 'loop_detected', repeats: 3 }, says: "finishReason 'tool-calls'" },
  approval: {
    ending: { kind: 'interaction_pending', requests: [{ type: 'approval', tool: 'deploy', input: { to: 'prod' } }] },
    says: "finishReason 'tool-calls'",
  },
  client_tool: {
    ending: { kind: 'interaction_pending', requests: [{ type: 'client_tool', tool: 'locate' }] },
    says: "finishReason 'tool-calls'",
  },
  abort_before: { ending: { kind: 'cancelled', by: 'caller' }, says: 'is not called' },
  abort_in_model: { ending: { kind: 'cancelled', by: 'caller', reason: 'enough' }, says: 'throws "enough"' },
  abort_in_tool: {
    ending: { kind: 'cancelled', by: 'caller', reason: 'enough' },
    says: "finishReason 'tool-calls'",
  },
  timeout: { ending: { kind: 'time_budget', limitMs: 50, scope: 'run' }, says: 'throws AbortError' },
  status_401: { ending: { kind: 'provider_auth', status: 401 }, says: 'throws AI_APICallError' },
  status_402: { ending: { kind: 'provider_quota', status: 402 }, says: 'throws AI_APICallError' },
  status_429: {
    ending: { kind: 'provider_failed', status: 429, retryAfterMs: 2000, attempts: 1 },
    says: 'throws AI_APICallError',
  },
  status_500: { ending: { kind: 'provider_failed', status: 500 }, says: 'throws AI_APICallError' },
  context_overflow: { ending: { kind: 'prompt_too_long' }, says: 'throws AI_APICallError' },
  length: { ending: { kind: 'output_truncated', reason: 'length' }, says: "finishReason 'length'" },
  filter: { ending: { kind: 'agent_refused', by: 'filter' }, says: "finishReason 'content-filter'" },
  refusal: { ending: { kind: 'agent_refused', by: 'model' }, says: "finishReason 'content-filter'" },
  malformed_call: { ending: { kind: 'natural_end' }, says: "finishReason 'stop'" },
  throwing_tool: { ending: { kind: 'natural_end' }, says: "finishReason 'stop'" },
  sub_agent_limit: {
    ending: { kind: 'natural_end' },
    says: "finishReason 'stop'",
  },
  interrupt: [
    {
      how: 'a tool without `execute` asks',
      ending: {
        kind: 'interaction_pending',
        requests: [{ type: 'client_tool', tool: 'ask', input: { question: 'Which one?' } }],
      },
      says: "finishReason 'tool-calls'",
    },
    {
      how: 'a tool throws, in order to ask',
      cannot: 'what a tool throws is a result for the model, and nothing that it is given can stop the call',
      ending: { kind: 'natural_end' },
      says: "the tool gets no function; finishReason 'stop'",
    },
  ],
  budget: { ending: { kind: 'token_budget', limit: 100 }, says: "finishReason 'tool-calls'" },
  empty_answer: { ending: { kind: 'no_answer', attempts: 1 }, says: "finishReason 'stop'" },
  stream_cut: {
    ending: { kind: 'provider_failed' },
    says: 'streamText: the stream throws AI_APICallError; no callback hears of it',
  },
};

/** The column of ai 5: it has no approvals, and passes on no word of the provider's own. */
export const ai5Table: FrameworkTable = {
  ...aiSdkTable,
  approval: {
    how: 'a tool with `needsApproval: true`',
    cannot: 'ai 5 ignores the option and runs the tool',
    ending: { kind: 'natural_end' },
    says: "the tool ran; finishReason 'stop'",
  },
  refusal: { ending: { kind: 'agent_refused', by: 'filter' }, says: "finishReason 'content-filter'" },
};
