import { expectTypeOf, it } from 'vitest';
import type { Category, CategoryOf, FamilyOf } from './ending.js';
import type { BuiltInKind, Termination } from './kinds.js';
import { match, matchCategory } from './match.js';

declare const termination: Termination;

// A kind that is added without a line in each of these does not compile.

it('gives each kind its categories at compile time', () => {
  expectTypeOf<{ [K in BuiltInKind]: CategoryOf<Termination<K>> }>().toEqualTypeOf<{
    natural_end: 'success';
    completed: 'success';
    submitted: 'success';
    converged: 'success';
    criteria_met: 'success';
    flow_completed: 'success';
    terminated: 'success' | 'fatal';
    tool_called: 'success';
    content_matched: 'success';
    plugin_requested: 'success';
    skipped: 'success';
    max_iterations: 'capacity';
    max_tool_calls: 'capacity';
    time_budget: 'capacity';
    token_budget: 'capacity';
    cost_budget: 'capacity';
    cycle_budget: 'capacity';
    fact_budget: 'capacity';
    budget_pressure: 'capacity';
    stall_detected: 'capacity';
    loop_detected: 'capacity';
    no_progress: 'capacity';
    consecutive_errors: 'capacity';
    consecutive_mistakes: 'capacity';
    gate_pending: 'paused';
    interaction_pending: 'paused';
    human_intervention_required: 'paused';
    gate_expired: 'capacity';
    invariant_violated: 'fatal';
    promotion_rejected: 'fatal';
    criteria_unmet: 'fatal';
    schema_validation: 'retryable';
    structured_output_exhausted: 'capacity';
    post_validation_failed: 'capacity';
    agent_refused: 'fatal';
    cancelled: 'cancelled';
    halted: 'fatal';
    abandoned: 'retryable';
    failed: 'retryable' | 'fatal';
    provider_auth: 'fatal';
    provider_quota: 'fatal';
    provider_failed: 'retryable';
    no_answer: 'retryable';
    prompt_too_long: 'capacity';
    compaction_failed: 'fatal';
    output_truncated: 'capacity';
    child_failed: Category;
    no_route: 'fatal';
    custom: Category;
    indeterminate: 'fatal';
  }>();
});

it('gives each kind its family at compile time', () => {
  expectTypeOf<{ [K in BuiltInKind]: FamilyOf<Termination<K>> }>().toEqualTypeOf<{
    natural_end: 'completion';
    completed: 'completion';
    submitted: 'completion';
    converged: 'completion';
    criteria_met: 'completion';
    flow_completed: 'completion';
    terminated: 'completion';
    tool_called: 'completion';
    content_matched: 'completion';
    plugin_requested: 'completion';
    skipped: 'completion';
    max_iterations: 'limit';
    max_tool_calls: 'limit';
    time_budget: 'limit';
    token_budget: 'limit';
    cost_budget: 'limit';
    cycle_budget: 'limit';
    fact_budget: 'limit';
    budget_pressure: 'limit';
    stall_detected: 'detector';
    loop_detected: 'detector';
    no_progress: 'detector';
    consecutive_errors: 'detector';
    consecutive_mistakes: 'detector';
    gate_pending: 'human';
    interaction_pending: 'human';
    human_intervention_required: 'human';
    gate_expired: 'human';
    invariant_violated: 'validation';
    promotion_rejected: 'validation';
    criteria_unmet: 'validation';
    schema_validation: 'validation';
    structured_output_exhausted: 'validation';
    post_validation_failed: 'validation';
    agent_refused: 'validation';
    cancelled: 'external';
    halted: 'external';
    abandoned: 'external';
    failed: 'error';
    provider_auth: 'error';
    provider_quota: 'error';
    provider_failed: 'error';
    no_answer: 'error';
    prompt_too_long: 'error';
    compaction_failed: 'error';
    output_truncated: 'error';
    child_failed: 'error';
    no_route: 'error';
    custom: 'extension';
    indeterminate: 'extension';
  }>();
});

it('matches every kind without a _ arm, each arm with exactly its own kind', () => {
  const kind = match(termination, {
    natural_end: (t) => t.kind,
    completed: (t) => t.kind,
    submitted: (t) => t.kind,
    converged: (t) => t.kind,
    criteria_met: (t) => t.kind,
    flow_completed: (t) => t.kind,
    terminated: (t) => t.kind,
    tool_called: (t) => t.kind,
    content_matched: (t) => t.kind,
    plugin_requested: (t) => t.kind,
    skipped: (t) => t.kind,
    max_iterations: (t) => t.kind,
    max_tool_calls: (t) => t.kind,
    time_budget: (t) => t.kind,
    token_budget: (t) => t.kind,
    cost_budget: (t) => t.kind,
    cycle_budget: (t) => t.kind,
    fact_budget: (t) => t.kind,
    budget_pressure: (t) => t.kind,
    stall_detected: (t) => t.kind,
    loop_detected: (t) => t.kind,
    no_progress: (t) => t.kind,
    consecutive_errors: (t) => t.kind,
    consecutive_mistakes: (t) => t.kind,
    gate_pending: (t) => t.kind,
    interaction_pending: (t) => t.kind,
    human_intervention_required: (t) => t.kind,
    gate_expired: (t) => t.kind,
    invariant_violated: (t) => t.kind,
    promotion_rejected: (t) => t.kind,
    criteria_unmet: (t) => t.kind,
    schema_validation: (t) => t.kind,
    structured_output_exhausted: (t) => t.kind,
    post_validation_failed: (t) => t.kind,
    agent_refused: (t) => t.kind,
    cancelled: (t) => t.kind,
    halted: (t) => t.kind,
    abandoned: (t) => t.kind,
    failed: (t) => t.kind,
    provider_auth: (t) => t.kind,
    provider_quota: (t) => t.kind,
    provider_failed: (t) => t.kind,
    no_answer: (t) => t.kind,
    prompt_too_long: (t) => t.kind,
    compaction_failed: (t) => t.kind,
    output_truncated: (t) => t.kind,
    child_failed: (t) => t.kind,
    no_route: (t) => t.kind,
    custom: (t) => t.kind,
    indeterminate: (t) => t.kind,
  });
  expectTypeOf(kind).toEqualTypeOf<BuiltInKind>();
});

it('gives each arm of a match over categories exactly the kinds that can have it', () => {
  type Several = 'child_failed' | 'custom';
  matchCategory(termination, {
    success: (t) =>
      expectTypeOf(t.kind).toEqualTypeOf<
        | Several
        | 'natural_end'
        | 'completed'
        | 'submitted'
        | 'converged'
        | 'criteria_met'
        | 'flow_completed'
        | 'terminated'
        | 'tool_called'
        | 'content_matched'
        | 'plugin_requested'
        | 'skipped'
      >(),
    paused: (t) =>
      expectTypeOf(t.kind).toEqualTypeOf<
        Several | 'gate_pending' | 'interaction_pending' | 'human_intervention_required'
      >(),
    cancelled: (t) => expectTypeOf(t.kind).toEqualTypeOf<Several | 'cancelled'>(),
    capacity: (t) =>
      expectTypeOf(t.kind).toEqualTypeOf<
        | Several
        | 'max_iterations'
        | 'max_tool_calls'
        | 'time_budget'
        | 'token_budget'
        | 'cost_budget'
        | 'cycle_budget'
        | 'fact_budget'
        | 'budget_pressure'
        | 'stall_detected'
        | 'loop_detected'
        | 'no_progress'
        | 'consecutive_errors'
        | 'consecutive_mistakes'
        | 'gate_expired'
        | 'structured_output_exhausted'
        | 'post_validation_failed'
        | 'prompt_too_long'
        | 'output_truncated'
      >(),
    retryable: (t) =>
      expectTypeOf(t.kind).toEqualTypeOf<
        Several | 'schema_validation' | 'abandoned' | 'failed' | 'provider_failed' | 'no_answer'
      >(),
    fatal: (t) =>
      expectTypeOf(t.kind).toEqualTypeOf<
        | Several
        | 'terminated'
        | 'invariant_violated'
        | 'promotion_rejected'
        | 'criteria_unmet'
        | 'agent_refused'
        | 'halted'
        | 'failed'
        | 'provider_auth'
        | 'provider_quota'
        | 'compaction_failed'
        | 'no_route'
        | 'indeterminate'
      >(),
  });
});
