import { describe, expect, it } from 'vitest';
import type { BuiltInKind } from '../termination/kinds.js';
import { samples } from '../termination/samples.fixture.js';
import { allKinds } from '../termination/table.js';
import { allDialects } from './all-dialects.js';

// For each kind the dialects that have a word for it: a new kind does not compile until this is decided for it.
const dialectsWithAWord: Readonly<Record<BuiltInKind, readonly string[]>> = {
  natural_end: ['needlr', 'exathena', 'tirea-a', 'tirea-b', 'ai-sdk', 'claude-agent-sdk', 'ag-ui', 'acp'],
  completed: ['needlr'],
  submitted: ['exathena'],
  converged: ['converge'],
  criteria_met: ['converge'],
  flow_completed: ['conductor'],
  terminated: ['conductor'],
  tool_called: ['tirea-a', 'tirea-b'],
  content_matched: ['tirea-a', 'tirea-b'],
  plugin_requested: ['tirea-a', 'tirea-b'],
  skipped: ['needlr'],
  max_iterations: ['needlr', 'exathena', 'tirea-a', 'tirea-b', 'conductor', 'claude-agent-sdk', 'acp'],
  max_tool_calls: ['needlr'],
  time_budget: ['converge', 'tirea-a', 'tirea-b', 'conductor'],
  token_budget: ['converge', 'tirea-a', 'tirea-b'],
  cost_budget: ['exathena', 'conductor', 'claude-agent-sdk'],
  cycle_budget: ['converge'],
  fact_budget: ['converge'],
  budget_pressure: ['needlr'],
  stall_detected: ['needlr'],
  loop_detected: ['tirea-a', 'tirea-b'],
  no_progress: ['exathena'],
  consecutive_errors: ['tirea-a', 'tirea-b'],
  consecutive_mistakes: ['exathena', 'claude-agent-sdk'],
  gate_pending: ['converge'],
  interaction_pending: ['tirea-a', 'tirea-b', 'claude-agent-sdk', 'ag-ui'],
  human_intervention_required: ['converge'],
  gate_expired: [],
  invariant_violated: ['converge'],
  promotion_rejected: ['converge'],
  criteria_unmet: [],
  schema_validation: ['exathena'],
  structured_output_exhausted: ['exathena', 'claude-agent-sdk'],
  post_validation_failed: [],
  agent_refused: ['converge', 'ai-sdk', 'claude-agent-sdk', 'acp'],
  cancelled: ['needlr', 'converge', 'tirea-a', 'tirea-b', 'conductor', 'claude-agent-sdk', 'ag-ui', 'acp'],
  halted: ['exathena', 'claude-agent-sdk'],
  abandoned: [],
  failed: ['needlr', 'converge', 'exathena', 'tirea-a', 'tirea-b', 'conductor', 'claude-agent-sdk', 'ag-ui'],
  provider_auth: ['exathena', 'claude-agent-sdk'],
  provider_quota: [],
  provider_failed: ['ai-sdk', 'claude-agent-sdk'],
  no_answer: [],
  prompt_too_long: ['exathena', 'claude-agent-sdk'],
  compaction_failed: ['exathena'],
  output_truncated: ['exathena', 'ai-sdk', 'claude-agent-sdk'],
  child_failed: [],
  no_route: [],
  custom: ['needlr', 'tirea-a', 'tirea-b'],
  indeterminate: ['ai-sdk', 'ag-ui'],
};

describe('every kind in every dialect', () => {
  it.each(allKinds())('%s has a word just where it was decided', (kind) => {
    const names = allDialects
      .filter((dialect) => dialect.encode(samples[kind]).fidelity !== 'none')
      .map(({ name }) => name);
    expect(names).toEqual(dialectsWithAWord[kind]);
  });

  it.each(allDialects.map((dialect) => [dialect.title, dialect] as const))(
    '%s says what it loses of every kind',
    (_, dialect) => {
      for (const kind of allKinds()) {
        const { fidelity, lost } = dialect.encode(samples[kind]);
        expect(lost.includes('kind'), kind).toBe(fidelity === 'none');
        expect(lost.length === 0, kind).toBe(fidelity === 'full');
      }
    },
  );
});
