import type { FrameworkTable } from '../situation.js';

/** The column of LangGraph: `createAgent` of LangChain, which is a graph, unless the words say otherwise. */
export const langgraphTable: FrameworkTable = {
  natural_end: { ending: { kind: 'natural_end' }, says: 'last message ai "done"' },
  step_limit: {
    ending: { kind: 'max_iterations', limit: 4, used: 4, unit: 'step' },
    says: 'throws GraphRecursionError',
  },
  usual_limit: {
    ending: { kind: 'max_iterations', limit: 25, used: 25, unit: 'step' },
    says: 'throws GraphRecursionError',
  },
  named_predicate: {
    ending: { kind: 'max_iterations', limit: 2, used: 2, unit: 'turn' },
    says: 'last message ai "Model call limits exceeded: run level call limit reached with 2 model calls"',
  },
  loop: { ending: { kind: 'loop_detected', repeats: 3 }, says: 'throws AbortError' },
  approval: {
    ending: { kind: 'interaction_pending', requests: [{ type: 'approval', tool: 'deploy' }] },
    says: '__interrupt__ 1',
  },
  client_tool: {
    how: 'a tool without a function',
    ending: {
      kind: 'interaction_pending',
      requests: [{ type: 'client_tool', tool: 'locate', input: { near: 'Bern' } }],
    },
    says: '__interrupt__ 1',
  },
  abort_before: { ending: { kind: 'cancelled', by: 'caller' }, says: 'is not called' },
  abort_in_model: { ending: { kind: 'cancelled', by: 'caller', reason: 'enough' }, says: 'throws Error' },
  abort_in_tool: { ending: { kind: 'cancelled', by: 'caller', reason: 'enough' }, says: 'throws "enough"' },
  timeout: { ending: { kind: 'time_budget', limitMs: 50, scope: 'run' }, says: 'throws AbortError' },
  status_401: { ending: { kind: 'provider_auth', status: 401 }, says: 'throws Error' },
  status_402: { ending: { kind: 'provider_quota', status: 402 }, says: 'throws Error' },
  status_429: { ending: { kind: 'provider_failed', status: 429, retryAfterMs: 2000 }, says: 'throws Error' },
  status_500: { ending: { kind: 'provider_failed', status: 500 }, says: 'throws Error' },
  context_overflow: { ending: { kind: 'prompt_too_long' }, says: 'throws Error' },
  length: { ending: { kind: 'output_truncated', reason: 'length' }, says: 'last message ai "Once upon"' },
  filter: { ending: { kind: 'agent_refused', by: 'filter' }, says: 'last message ai ""' },
  refusal: { ending: { kind: 'agent_refused', by: 'model' }, says: 'last message ai ""' },
  malformed_call: { ending: { kind: 'natural_end' }, says: 'last message ai "done"' },
  throwing_tool: { ending: { kind: 'natural_end' }, says: 'last message ai "done"' },
  sub_agent_limit: { ending: { kind: 'natural_end' }, says: 'last message ai "done"' },
  interrupt: {
    ending: { kind: 'interaction_pending', requests: [{ type: 'input', input: { question: 'Which one?' } }] },
    says: '__interrupt__ 1',
  },
  budget: { ending: { kind: 'token_budget', limit: 100 }, says: 'throws AbortError' },
  empty_answer: { ending: { kind: 'no_answer', attempts: 1 }, says: 'last message ai ""' },
  stream_cut: { ending: { kind: 'provider_failed' }, says: 'stream throws Error' },
};
