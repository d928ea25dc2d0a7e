import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from '../termination/any-termination.fixture.js';
import { describe as sentenceFor } from '../termination/classify.js';
import type { JsonValue } from '../termination/json.js';
import { terminations } from '../termination/terminations.js';
import { converge, convergePredicates, convergeText } from './converge.js';
import { describeDialect, type Golden } from './dialect-suite.fixture.js';

const gate = { gate_id: 'g1', proposal_id: 'p1', summary: 'Publish?', agent_id: 'editor', cycle: 3 };

/** Each value with what it means here and what Converge prints for it. */
const goldens: readonly (Golden & { readonly text?: string })[] = [
  { value: 'Converged', termination: { kind: 'converged' }, unknown: ['cycles', 'facts'], text: 'Converged' },
  {
    value: { CriteriaMet: { criteria: ['g1', 'g2'] } },
    termination: { kind: 'criteria_met', criteria: ['g1', 'g2'] },
    unknown: [],
    text: 'Criteria met: g1, g2',
  },
  {
    value: 'UserCancelled',
    termination: { kind: 'cancelled', by: 'caller' },
    unknown: [],
    text: 'User cancelled',
  },
  {
    value: { HumanInterventionRequired: { criteria: ['a', 'b'], approval_refs: ['x', 'y'] } },
    termination: { kind: 'human_intervention_required', criteria: ['a', 'b'], approvalRefs: ['x', 'y'] },
    unknown: [],
    text: 'Human intervention required for: a, b (refs: x, y)',
  },
  {
    value: { HumanInterventionRequired: { criteria: ['a'], approval_refs: [] } },
    termination: { kind: 'human_intervention_required', criteria: ['a'], approvalRefs: [] },
    unknown: [],
    text: 'Human intervention required for: a',
  },
  {
    value: { CycleBudgetExhausted: { cycles_executed: 50, limit: 100 } },
    termination: { kind: 'cycle_budget', used: 50, limit: 100 },
    unknown: [],
    text: 'Cycle budget exhausted: 50/100',
  },
  {
    value: { FactBudgetExhausted: { facts_count: 30, limit: 25 } },
    termination: { kind: 'fact_budget', used: 30, limit: 25 },
    unknown: [],
    text: 'Fact budget exhausted: 30/25',
  },
  {
    value: { TokenBudgetExhausted: { tokens_consumed: 1000, limit: 900 } },
    termination: { kind: 'token_budget', used: 1000, limit: 900 },
    unknown: [],
    text: 'Token budget exhausted: 1000/900',
  },
  {
    value: { TimeBudgetExhausted: { duration_ms: 10, limit_ms: 5 } },
    termination: { kind: 'time_budget', elapsedMs: 10, limitMs: 5, scope: 'run' },
    unknown: [],
    text: 'Time budget exhausted: 10ms/5ms',
  },
  ...(['Structural', 'Semantic', 'Acceptance'] as const).map((name) => ({
    value: { InvariantViolated: { class: name, name: 'budget', reason: 'over' } },
    termination: {
      kind: 'invariant_violated',
      class: name.toLowerCase() as 'structural',
      name: 'budget',
      reason: 'over',
    } as const,
    unknown: ['facts'],
    text: `${name} invariant 'budget' violated: over`,
  })),
  {
    value: { PromotionRejected: { proposal_id: 'p7', reason: 'no evidence' } },
    termination: { kind: 'promotion_rejected', proposalId: 'p7', reason: 'no evidence' },
    unknown: [],
    text: "Promotion rejected for 'p7': no evidence",
  },
  ...(['Internal', 'Configuration', 'External', 'Resource', 'Unknown'] as const).map((name) => ({
    value: { Error: { message: 'boom', category: name } },
    termination: {
      kind: 'failed',
      error: { message: 'boom' },
      errorClass: name.toLowerCase() as 'internal',
    } as const,
    unknown: ['error.name', 'origin'],
    text: `Error (${name}): boom`,
  })),
  {
    value: { AgentRefused: { agent_id: 'critic', reason: 'no provenance' } },
    termination: { kind: 'agent_refused', agentId: 'critic', reason: 'no provenance', by: 'suggestor' },
    unknown: [],
    text: "Suggestor 'critic' refused: no provenance",
  },
  {
    value: { HitlGatePending: gate },
    termination: {
      kind: 'gate_pending',
      gates: [{ gateId: 'g1', proposalId: 'p1', summary: 'Publish?', agentId: 'editor', cycle: 3 }],
    },
    unknown: ['gates[0].path'],
    text: 'HITL gate pending: g1 (agent: editor, cycle: 3)',
  },
  { value: { HitlGatePending: {} }, termination: { kind: 'gate_pending' }, unknown: ['gates'] },
];

describeDialect(converge, goldens);

describe('Converge', () => {
  const printed = goldens.flatMap(({ value, text }) => (text === undefined ? [] : [[value, text] as const]));

  it.each(printed)('prints %j as %s', (value, text) => {
    expect(convergeText(value)).toBe(text);
  });

  it('does not print a value that lacks a field', () => {
    expect(() => convergeText({ CycleBudgetExhausted: { limit: 3 } })).toThrow(
      'CycleBudgetExhausted: cycles_executed must be given.',
    );
  });

  it.each([
    ['isSuccess', ['Converged', 'CriteriaMet', 'UserCancelled']],
    [
      'isBudgetExhausted',
      ['CycleBudgetExhausted', 'FactBudgetExhausted', 'TokenBudgetExhausted', 'TimeBudgetExhausted'],
    ],
    ['isValidationFailure', ['InvariantViolated', 'PromotionRejected']],
    ['isError', ['Error', 'AgentRefused']],
    ['isHitlPending', ['HitlGatePending']],
    ['isHumanInterventionRequired', ['HumanInterventionRequired']],
  ] as const)('%s holds for %j and nothing else', (predicate, names) => {
    const held = goldens.filter(({ value }) => convergePredicates[predicate](value)).map(({ value }) => variant(value));
    expect(new Set(held)).toEqual(new Set(names));
  });

  it('puts every stop reason into exactly one of its six groups', () => {
    fc.assert(
      fc.property(arbitraryTermination, (termination) => {
        const { value } = converge.encode(termination);
        fc.pre(value !== null);
        expect(Object.values(convergePredicates).filter((holds) => holds(value))).toHaveLength(1);
      }),
    );
  });

  it('has no group for what is no stop reason', () => {
    expect(() => convergePredicates.isSuccess('Stalled')).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
  });

  it.each([
    { Error: 'boom' },
    { Error: null },
    { Converged: {} },
    'CriteriaMet',
    { CriteriaMet: { criteria: [] }, Error: {} },
    { CriteriaMet: { criteria: 'g1' } },
    { HitlGatePending: { cycle: 'third' } },
    { Error: { message: 'boom', category: 'internal' } },
  ])('refuses %j, which its parser would not take', (value) => {
    expect(() => converge.decode(value)).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
  });

  it('writes the first of several gates and names the others as lost', () => {
    const both = terminations.gatePending({
      gates: [
        { gateId: 'g1', path: 'a', summary: 'One?' },
        { gateId: 'g2', path: 'b', summary: 'Two?' },
      ],
    });
    expect(converge.encode(both)).toEqual({
      value: { HitlGatePending: { gate_id: 'g1', summary: 'One?' } },
      fidelity: 'word',
      lost: ['gates[0].path', 'gates[1].gateId', 'gates[1].path', 'gates[1].summary'],
    });
  });

  it('writes a pause without gates', () => {
    expect(converge.encode(terminations.gatePending({ gates: [] }))).toEqual({
      value: { HitlGatePending: {} },
      fidelity: 'word',
      lost: ['gates'],
    });
  });

  it('loses the counts of a convergence', () => {
    const { value, lost } = converge.encode(terminations.converged({ cycles: 4, facts: 12 }));
    expect(value).toBe('Converged');
    expect(lost).toEqual(['cycles', 'facts']);
  });

  it('rounds durations, which are whole milliseconds there', () => {
    expect(converge.encode(terminations.timeBudget({ limitMs: 5000, elapsedMs: 5000.25, scope: 'run' }))).toEqual({
      value: { TimeBudgetExhausted: { duration_ms: 5000, limit_ms: 5000 } },
      fidelity: 'word',
      lost: ['elapsedMs'],
    });
  });

  it('carries an error without a variant of its own as Error, and has no word for other kinds', () => {
    const overloaded = terminations.providerFailed({ status: 503, attempts: 3 });
    expect(converge.encode(overloaded)).toEqual({
      value: { Error: { message: sentenceFor(overloaded), category: 'External' } },
      fidelity: 'none',
      lost: ['kind', 'status', 'attempts'],
    });
    expect(converge.encode({ kind: 'compaction_failed' }).value).toEqual({
      Error: { message: 'compaction_failed', category: 'Unknown' },
    });
    expect(converge.encode(terminations.naturalEnd()).value).toBeNull();
  });
});

function variant(value: JsonValue): string {
  return typeof value === 'string' ? value : (Object.keys(value as object)[0] as string);
}
