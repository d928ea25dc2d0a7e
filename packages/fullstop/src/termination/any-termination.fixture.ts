import fc from 'fast-check';
import type { ErrorData } from './errors/error-data.js';
import type { JsonObject, JsonValue } from './json.js';
import type { BuiltInKind, Termination } from './kinds.js';

// Arbitrary terminations of every kind, for property tests. A kind without one is a compile error.

const text = fc.string({ maxLength: 12 });
const texts = fc.array(text, { maxLength: 3 });
const count = fc.nat({ max: 1_000_000 });
const limit = fc.integer({ min: 1, max: 1_000_000 });
const amount = fc.double({ min: 0, max: 1e6, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const positive = fc.double({ min: 0.001, max: 1e6, noNaN: true, noDefaultInfinity: true });
const ratio = fc.integer({ min: 0, max: 100 }).map((value) => value / 100);
const instant = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const jsonValue = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
const jsonObject = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  jsonValue,
  { maxKeys: 3 },
) as fc.Arbitrary<JsonObject>;
const status = fc.integer({ min: 100, max: 599 });

const errorData: fc.Arbitrary<ErrorData> = fc.record(
  {
    name: text,
    message: text,
    code: text,
    stack: text,
    data: jsonObject,
    cause: fc.record({ name: text, message: text }),
  },
  { requiredKeys: ['name', 'message'] },
);
const violations = fc.array(fc.record({ path: text, message: text }), { maxLength: 2 });
const options = fc.array(fc.record({ value: text, label: text }, { requiredKeys: ['value'] }), { maxLength: 2 });
const child = fc.record({ name: text, path: text, runId: text }, { requiredKeys: ['name', 'path'] });
const usedOfLimit = { limit, used: count };

type Arbitraries = { readonly [K in BuiltInKind]: fc.Arbitrary<Termination<K>> };

function kind<K extends BuiltInKind>(name: K): { kind: fc.Arbitrary<K> } {
  return { kind: fc.constant(name) };
}

const leaf: Omit<Arbitraries, 'child_failed' | 'cancelled'> = {
  natural_end: fc.record({ ...kind('natural_end'), finishReason: text }, { requiredKeys: ['kind'] }),
  completed: fc.record({ ...kind('completed'), check: fc.constantFrom('iteration', 'tool_call') }),
  submitted: fc.record(
    { ...kind('submitted'), tool: text, deliverable: jsonValue },
    { requiredKeys: ['kind', 'tool'] },
  ),
  converged: fc.record({ ...kind('converged'), cycles: count, facts: count }),
  criteria_met: fc.record({ ...kind('criteria_met'), criteria: texts }),
  flow_completed: fc.record({ ...kind('flow_completed'), last: text }),
  terminated: fc.record(
    { ...kind('terminated'), status: fc.constantFrom('success', 'failed'), reason: text, by: text, output: jsonValue },
    { requiredKeys: ['kind', 'status', 'reason', 'by'] },
  ),
  tool_called: fc.record({ ...kind('tool_called'), tool: text }),
  content_matched: fc.record({ ...kind('content_matched'), pattern: text }),
  plugin_requested: fc.record(
    { ...kind('plugin_requested'), plugin: text, reason: text },
    { requiredKeys: ['kind', 'plugin'] },
  ),
  skipped: fc.record({ ...kind('skipped'), reason: text }, { requiredKeys: ['kind'] }),
  max_iterations: fc.record({
    ...kind('max_iterations'),
    ...usedOfLimit,
    unit: fc.constantFrom('iteration', 'round', 'turn', 'step'),
  }),
  max_tool_calls: fc.record({ ...kind('max_tool_calls'), ...usedOfLimit }),
  time_budget: fc.record({
    ...kind('time_budget'),
    limitMs: positive,
    elapsedMs: amount,
    scope: fc.constantFrom('run', 'iteration', 'model', 'tool', 'stage', 'step'),
  }),
  token_budget: fc.record(
    { ...kind('token_budget'), ...usedOfLimit, estimated: fc.boolean() },
    { requiredKeys: ['kind', 'limit', 'used'] },
  ),
  cost_budget: fc.record(
    { ...kind('cost_budget'), limitUsd: positive, usedUsd: amount, estimated: fc.boolean() },
    { requiredKeys: ['kind', 'limitUsd', 'usedUsd'] },
  ),
  cycle_budget: fc.record({ ...kind('cycle_budget'), ...usedOfLimit }),
  fact_budget: fc.record({ ...kind('fact_budget'), ...usedOfLimit }),
  budget_pressure: fc.record({
    ...kind('budget_pressure'),
    threshold: ratio,
    resource: fc.constantFrom('time', 'cost', 'tokens'),
    finalized: fc.boolean(),
  }),
  stall_detected: fc.record({
    ...kind('stall_detected'),
    consecutive: limit,
    tolerance: amount,
    tokens: fc.array(count, { maxLength: 3 }),
  }),
  loop_detected: fc.record({
    ...kind('loop_detected'),
    cycle: fc.array(fc.record({ tool: text, input: jsonValue }, { requiredKeys: ['tool'] }), { maxLength: 3 }),
    repeats: limit,
  }),
  no_progress: fc.record({ ...kind('no_progress'), ...usedOfLimit, snapshot: jsonValue }),
  consecutive_errors: fc.record({ ...kind('consecutive_errors'), ...usedOfLimit, lastError: errorData }),
  consecutive_mistakes: fc.record({
    ...kind('consecutive_mistakes'),
    ...usedOfLimit,
    lastMistake: fc.record({
      tool: text,
      problem: fc.constantFrom('bad_arguments', 'unknown_tool', 'denied', 'tool_error'),
      message: text,
    }),
  }),
  gate_pending: fc.record({
    ...kind('gate_pending'),
    gates: fc.array(
      fc.record(
        {
          gateId: text,
          path: text,
          summary: text,
          proposalId: text,
          agentId: text,
          cycle: count,
          options,
          deadline: instant,
        },
        { requiredKeys: ['gateId', 'path', 'summary'] },
      ),
      { maxLength: 2 },
    ),
  }),
  interaction_pending: fc.record({
    ...kind('interaction_pending'),
    requests: fc.array(
      fc.record(
        {
          id: text,
          path: text,
          type: fc.constantFrom('approval', 'input', 'client_tool', 'confirm_outcome', 'gate'),
          tool: text,
          input: jsonValue,
          schema: jsonValue,
          options,
          deadline: instant,
        },
        { requiredKeys: ['id', 'path', 'type'] },
      ),
      { maxLength: 2 },
    ),
  }),
  human_intervention_required: fc.record({
    ...kind('human_intervention_required'),
    criteria: texts,
    approvalRefs: texts,
  }),
  gate_expired: fc.record({ ...kind('gate_expired'), gateId: text, deadline: instant }),
  invariant_violated: fc.record({
    ...kind('invariant_violated'),
    class: fc.constantFrom('structural', 'semantic', 'acceptance'),
    name: text,
    reason: text,
    facts: texts,
  }),
  promotion_rejected: fc.record({ ...kind('promotion_rejected'), proposalId: text, reason: text }),
  criteria_unmet: fc.record({ ...kind('criteria_unmet'), criteria: texts }),
  schema_validation: fc.record({ ...kind('schema_validation'), violations, received: jsonValue }),
  structured_output_exhausted: fc.record({ ...kind('structured_output_exhausted'), attempts: limit, violations }),
  post_validation_failed: fc.record({ ...kind('post_validation_failed'), attempts: limit, reason: text }),
  agent_refused: fc.record(
    {
      ...kind('agent_refused'),
      agentId: text,
      reason: text,
      by: fc.constantFrom('model', 'filter', 'suggestor'),
      status,
      requestId: text,
      url: text,
    },
    { requiredKeys: ['kind', 'agentId', 'reason', 'by'] },
  ),
  halted: fc.record({
    ...kind('halted'),
    by: fc.record({ type: fc.constantFrom('hook', 'tool'), name: text }),
    reason: text,
  }),
  abandoned: fc.record(
    { ...kind('abandoned'), lastSeenAt: instant, worker: text },
    { requiredKeys: ['kind', 'lastSeenAt'] },
  ),
  failed: fc.record({
    ...kind('failed'),
    error: errorData,
    origin: fc.constantFrom('tool', 'hook', 'stage', 'loop', 'step', 'engine', 'body'),
    errorClass: fc.constantFrom('internal', 'configuration', 'external', 'resource', 'unknown'),
  }),
  provider_auth: fc.record(
    { ...kind('provider_auth'), status, provider: text, message: text, requestId: text },
    { requiredKeys: ['kind', 'provider'] },
  ),
  provider_quota: fc.record(
    { ...kind('provider_quota'), status, provider: text, message: text, requestId: text },
    { requiredKeys: ['kind', 'provider', 'message'] },
  ),
  provider_failed: fc.record(
    {
      ...kind('provider_failed'),
      status,
      attempts: limit,
      retryAfterMs: amount,
      provider: text,
      code: text,
      message: text,
      requestId: text,
    },
    { requiredKeys: ['kind', 'attempts'] },
  ),
  no_answer: fc.record(
    { ...kind('no_answer'), attempts: limit, finishReason: text },
    { requiredKeys: ['kind', 'attempts'] },
  ),
  prompt_too_long: fc.record(
    { ...kind('prompt_too_long'), limit, used: count, status, message: text, requestId: text },
    { requiredKeys: ['kind'] },
  ),
  compaction_failed: fc.record({ ...kind('compaction_failed'), stage: text, error: errorData }),
  output_truncated: fc.record(
    { ...kind('output_truncated'), reason: fc.constantFrom('length', 'thinking_starved'), cap: limit },
    { requiredKeys: ['kind', 'reason'] },
  ),
  no_route: fc.record({ ...kind('no_route'), step: text, output: jsonValue }),
  custom: fc.record(
    {
      ...kind('custom'),
      reason: text,
      category: fc.constantFrom('success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal'),
      tag: text,
      properties: jsonObject,
    },
    { requiredKeys: ['kind', 'reason', 'category'] },
  ),
  indeterminate: fc.record({ ...kind('indeterminate'), candidates: texts }),
};

const anyLeaf = fc.oneof(...Object.values(leaf)) as fc.Arbitrary<Termination>;

const cancelled: fc.Arbitrary<Termination<'cancelled'>> = fc.record(
  { ...kind('cancelled'), by: fc.constantFrom('caller', 'parent', 'signal', 'operator'), reason: text, cause: anyLeaf },
  { requiredKeys: ['kind', 'by'] },
);

function childFailed(inner: fc.Arbitrary<Termination>): fc.Arbitrary<Termination<'child_failed'>> {
  return fc.record(
    {
      ...kind('child_failed'),
      child,
      termination: inner,
      others: fc.array(fc.record({ child, termination: anyLeaf }), { maxLength: 2 }),
    },
    { requiredKeys: ['kind', 'child', 'termination'] },
  );
}

/** One arbitrary for each built-in kind. */
export const arbitraryOf: Arbitraries = {
  ...leaf,
  cancelled,
  child_failed: fc.oneof(childFailed(anyLeaf), childFailed(childFailed(anyLeaf))),
};

/** Any built-in termination at all. */
export const arbitraryTermination: fc.Arbitrary<Termination> = fc.oneof(
  ...(Object.values(arbitraryOf) as fc.Arbitrary<Termination>[]),
);
