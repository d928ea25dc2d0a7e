import type { BuiltInKind, Termination } from './kinds.js';

/** One realistic termination for each built-in kind, as a run would end with it. A kind without one is a compile error. */
export const samples: { readonly [K in BuiltInKind]: Termination<K> } = {
  natural_end: { kind: 'natural_end' },
  completed: { kind: 'completed', check: 'tool_call' },
  submitted: {
    kind: 'submitted',
    tool: 'submit_report',
    deliverable: { title: 'Quarterly churn', findings: ['price', 'onboarding'] },
  },
  converged: { kind: 'converged', cycles: 4, facts: 1_280 },
  criteria_met: { kind: 'criteria_met', criteria: ['every invoice has an owner', 'no open disputes'] },
  flow_completed: { kind: 'flow_completed', last: 'publish' },
  terminated: {
    kind: 'terminated',
    status: 'failed',
    reason: 'The invoice total does not match its lines.',
    by: 'check_totals',
    output: { expected: 1_204.5, actual: 1_180 },
  },
  tool_called: { kind: 'tool_called', tool: 'hand_over_to_support' },
  content_matched: { kind: 'content_matched', pattern: 'FINAL ANSWER:' },
  plugin_requested: { kind: 'plugin_requested', plugin: 'quality-gate', reason: 'the draft scored 9 of 10' },
  skipped: { kind: 'skipped', reason: 'no findings to report' },
  max_iterations: { kind: 'max_iterations', limit: 25, used: 25, unit: 'iteration' },
  max_tool_calls: { kind: 'max_tool_calls', limit: 40, used: 41 },
  time_budget: { kind: 'time_budget', limitMs: 300_000, elapsedMs: 301_250, scope: 'run' },
  token_budget: { kind: 'token_budget', limit: 200_000, used: 203_114 },
  cost_budget: { kind: 'cost_budget', limitUsd: 2.5, usedUsd: 2.61 },
  cycle_budget: { kind: 'cycle_budget', limit: 100, used: 100 },
  fact_budget: { kind: 'fact_budget', limit: 10_000, used: 10_000 },
  budget_pressure: { kind: 'budget_pressure', threshold: 0.8, resource: 'tokens', finalized: true },
  stall_detected: {
    kind: 'stall_detected',
    consecutive: 3,
    tolerance: 0.02,
    tokens: [4_102, 4_098, 4_110],
  },
  loop_detected: {
    kind: 'loop_detected',
    cycle: [
      { tool: 'search', input: { q: 'refund policy' } },
      { tool: 'open_page', input: { id: 7 } },
    ],
    repeats: 3,
  },
  no_progress: { kind: 'no_progress', limit: 5, used: 5, snapshot: { phase: 'planning', openTasks: 3 } },
  consecutive_errors: {
    kind: 'consecutive_errors',
    limit: 3,
    used: 3,
    lastError: { name: 'FetchError', message: 'connect ECONNREFUSED 127.0.0.1:5432', code: 'ECONNREFUSED' },
  },
  consecutive_mistakes: {
    kind: 'consecutive_mistakes',
    limit: 4,
    used: 4,
    lastMistake: { tool: 'create_ticket', problem: 'bad_arguments', message: 'priority must be low, normal or high' },
  },
  gate_pending: {
    kind: 'gate_pending',
    gates: [
      {
        gateId: 'release-4.2',
        path: 'release.approve',
        summary: 'Release 4.2 to production?',
        options: [{ value: 'approve', label: 'Release it' }, { value: 'reject' }],
        deadline: '2026-03-01T12:00:00.000Z',
      },
    ],
  },
  interaction_pending: {
    kind: 'interaction_pending',
    requests: [
      { id: 'req-1', path: 'refund', type: 'approval', tool: 'refund_payment', input: { payment: 'p-77', usd: 40 } },
      { id: 'req-2', path: 'refund.reason', type: 'input', schema: { type: 'string' } },
    ],
  },
  human_intervention_required: {
    kind: 'human_intervention_required',
    criteria: ['legal has signed off'],
    approvalRefs: ['approval-19'],
  },
  gate_expired: { kind: 'gate_expired', gateId: 'release-4.2', deadline: '2026-03-01T12:00:00.000Z' },
  invariant_violated: {
    kind: 'invariant_violated',
    class: 'semantic',
    name: 'budget_is_consistent',
    reason: 'the plan costs more than the budget allows',
    facts: ['plan-3', 'budget-1'],
  },
  promotion_rejected: {
    kind: 'promotion_rejected',
    proposalId: 'proposal-12',
    reason: 'it cites no source',
  },
  criteria_unmet: { kind: 'criteria_unmet', criteria: ['at least two vendors compared'] },
  schema_validation: {
    kind: 'schema_validation',
    violations: [{ path: 'score', message: 'expected a number, found "high"' }],
    received: { score: 'high' },
  },
  structured_output_exhausted: {
    kind: 'structured_output_exhausted',
    attempts: 3,
    violations: [
      { path: 'score', message: 'expected a number' },
      { path: '', message: 'unknown field "notes"' },
    ],
  },
  post_validation_failed: {
    kind: 'post_validation_failed',
    attempts: 2,
    reason: 'the summary is longer than 200 words',
  },
  agent_refused: { kind: 'agent_refused', agentId: 'writer', reason: 'it cannot help with this request', by: 'model' },
  cancelled: {
    kind: 'cancelled',
    by: 'parent',
    cause: { kind: 'cost_budget', limitUsd: 10, usedUsd: 10.04 },
  },
  halted: { kind: 'halted', by: { type: 'hook', name: 'no-secrets' }, reason: 'the answer contains an API key' },
  abandoned: { kind: 'abandoned', lastSeenAt: '2026-03-01T11:58:30.000Z', worker: 'worker-3' },
  failed: {
    kind: 'failed',
    error: {
      name: 'TypeError',
      message: "Cannot read properties of undefined (reading 'id')",
      stack: 'TypeError: Cannot read properties of undefined\n    at loadCustomer (customers.ts:42:11)',
      cause: { name: 'Error', message: 'customer 118 not found', code: 'NOT_FOUND' },
    },
    origin: 'tool',
    errorClass: 'internal',
  },
  provider_auth: { kind: 'provider_auth', status: 401, provider: 'anthropic' },
  provider_failed: { kind: 'provider_failed', status: 529, attempts: 5, retryAfterMs: 90_000 },
  prompt_too_long: { kind: 'prompt_too_long', limit: 200_000, used: 214_530 },
  compaction_failed: {
    kind: 'compaction_failed',
    stage: 'summarise',
    error: { name: 'Error', message: 'the summary is longer than the history' },
  },
  output_truncated: { kind: 'output_truncated', reason: 'thinking_starved', cap: 8_192 },
  child_failed: {
    kind: 'child_failed',
    child: { name: 'build', path: 'release.build', runId: 'run-42' },
    termination: {
      kind: 'child_failed',
      child: { name: 'lint', path: 'release.build.lint' },
      termination: { kind: 'max_tool_calls', limit: 40, used: 40 },
    },
    others: [
      {
        child: { name: 'docs', path: 'release.docs' },
        termination: { kind: 'provider_failed', attempts: 3 },
      },
    ],
  },
  no_route: { kind: 'no_route', step: 'classify', output: { label: 'unsure' } },
  custom: {
    kind: 'custom',
    reason: 'The customer closed the chat',
    category: 'cancelled',
    tag: 'chat_closed',
    properties: { messages: 12, satisfied: null },
  },
  indeterminate: { kind: 'indeterminate', candidates: ['max_iterations', 'natural_end'] },
};
