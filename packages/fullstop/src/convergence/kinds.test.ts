import { describe, expect, it } from 'vitest';
import { possibleKinds } from './kinds.js';
import type { ConvergenceOptions } from './options/convergence-options.js';
import { criterion } from './options/criterion.js';
import { gate } from './options/gate.js';
import { acceptance } from './options/invariant.js';
import { promotionGate } from './options/promotion-gate.js';
import { suggestor } from './options/suggestor.js';

// The same options as in define-convergence.test-d.ts, where the types say the same.
const base = [
  'abandoned',
  'agent_refused',
  'cancelled',
  'cycle_budget',
  'failed',
  'prompt_too_long',
  'provider_auth',
  'provider_failed',
  'provider_quota',
];
const unit = (kinds: readonly string[]) =>
  suggestor('unit', {
    use: {
      name: 'unit',
      kinds,
      run: () => Promise.reject(new Error('unused')),
      within: () => Promise.reject(new Error('unused')),
    } as never,
    input: () => 'go',
    propose: () => undefined,
  });

interface Row {
  readonly what: string;
  readonly options: Omit<ConvergenceOptions, 'suggestors'> & Partial<Pick<ConvergenceOptions, 'suggestors'>>;
  readonly adds: readonly string[];
}

const rows: readonly Row[] = [
  { what: 'nothing', options: {}, adds: ['converged'] },
  { what: 'the detector', options: { oscillation: {} }, adds: ['converged', 'loop_detected', 'promotion_rejected'] },
  {
    what: 'an intent',
    options: { intent: { criteria: [criterion('x', () => true)] } },
    adds: ['criteria_met', 'criteria_unmet', 'human_intervention_required'],
  },
  {
    what: 'invariants',
    options: { invariants: [acceptance('x', () => true)] },
    adds: ['converged', 'invariant_violated'],
  },
  { what: 'no invariants', options: { invariants: [], gates: [] }, adds: ['converged'] },
  { what: 'a gate', options: { gates: [gate({})] }, adds: ['converged', 'gate_pending'] },
  {
    what: 'a deadline',
    options: { gates: [gate({ deadline: 1 })] },
    adds: ['converged', 'gate_expired', 'gate_pending'],
  },
  {
    what: 'a deadline that decides',
    options: { gates: [gate({ deadline: 1, onExpiry: 'approve' })] },
    adds: ['converged', 'gate_pending'],
  },
  {
    what: 'an escalation',
    options: { gates: [gate({ deadline: 1, onExpiry: 'escalate' })] },
    adds: ['converged', 'gate_expired', 'gate_pending'],
  },
  {
    what: 'a fatal promotion gate',
    options: { promotionGates: [promotionGate('x', () => true, { fatal: true })] },
    adds: ['converged', 'promotion_rejected'],
  },
  { what: 'a promotion gate', options: { promotionGates: [promotionGate('x', () => true)] }, adds: ['converged'] },
  { what: 'conflicts that end', options: { onConflict: 'end' }, adds: ['converged', 'promotion_rejected'] },
  {
    what: 'budgets',
    options: { budgets: { facts: 1, tokens: 1, costUsd: 1, time: 1 } },
    adds: ['converged', 'cost_budget', 'fact_budget', 'time_budget', 'token_budget'],
  },
  { what: 'a calm unit', options: { suggestors: [unit(['natural_end'])] }, adds: ['child_failed', 'converged'] },
  {
    what: 'a unit that asks',
    options: { suggestors: [unit(['natural_end', 'interaction_pending'])] },
    adds: ['child_failed', 'converged', 'interaction_pending'],
  },
];

describe('possible kinds', () => {
  it.each(rows)('are those that $what allows', ({ options, adds }) => {
    const kinds = possibleKinds({ suggestors: [], oscillation: false, ...options });
    expect([...kinds].sort()).toEqual([...base, ...adds].sort());
  });
});
