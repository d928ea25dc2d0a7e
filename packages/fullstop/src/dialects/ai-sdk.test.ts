import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTermination } from '../termination/define-termination.js';
import { createRegistry } from '../termination/registry.js';
import { terminations } from '../termination/terminations.js';
import { aiSdk } from './ai-sdk.js';
import { describeDialect } from './dialect-suite.fixture.js';

const afterToolCalls = ['max_iterations', 'tool_called', 'interaction_pending', 'custom'];

describeDialect(aiSdk, [
  { value: 'stop', termination: { kind: 'natural_end' }, unknown: [] },
  { value: 'length', termination: { kind: 'output_truncated', reason: 'length' }, unknown: [] },
  { value: 'content-filter', termination: { kind: 'agent_refused' }, unknown: ['agentId', 'reason', 'by'] },
  { value: 'tool-calls', termination: { kind: 'indeterminate', candidates: afterToolCalls }, unknown: [] },
  { value: 'error', termination: { kind: 'provider_failed' }, unknown: ['attempts'] },
  { value: 'other', termination: { kind: 'indeterminate', candidates: [] }, unknown: [] },
  { value: 'unknown', termination: { kind: 'indeterminate', candidates: [] }, unknown: [], canonical: 'other' },
  { value: 'interrupted', termination: { kind: 'provider_failed' }, unknown: ['attempts'], canonical: 'error' },
]);

describe('AI SDK', () => {
  it.each([
    terminations.maxIterations({ limit: 20, used: 20, unit: 'step' }),
    terminations.toolCalled({ tool: 'done' }),
    terminations.interactionPending({ requests: [] }),
    terminations.maxToolCalls({ limit: 5, used: 5 }),
    terminations.costBudget({ limitUsd: 1, usedUsd: 1.2 }),
    terminations.gatePending({ gates: [] }),
  ])('folds $kind into tool-calls, and says that the kind is lost', (termination) => {
    const { value, fidelity, lost } = aiSdk.encode(termination);
    expect(value).toBe('tool-calls');
    expect(fidelity).toBe('none');
    expect(lost).toContain('kind');
  });

  it('says tool-calls only for just its own candidates, else other', () => {
    expect(aiSdk.encode({ kind: 'indeterminate', candidates: afterToolCalls })).toEqual({
      value: 'tool-calls',
      fidelity: 'full',
      lost: [],
    });
    expect(aiSdk.encode(terminations.indeterminate({ candidates: ['failed'] }))).toEqual({
      value: 'other',
      fidelity: 'word',
      lost: ['candidates[0]'],
    });
  });

  it('keeps the kind of an answer that thinking left no room for, and names the reason as lost', () => {
    const starved = terminations.outputTruncated({ reason: 'thinking_starved', cap: 4096 });
    expect(aiSdk.encode(starved)).toEqual({ value: 'length', fidelity: 'word', lost: ['reason', 'cap'] });
  });

  it('takes a wrap-up with a final answer for an answer', () => {
    const pressure = { threshold: 0.8, resource: 'tokens' } as const;
    expect(aiSdk.encode(terminations.budgetPressure({ ...pressure, finalized: true })).value).toBe('stop');
    expect(aiSdk.encode(terminations.budgetPressure({ ...pressure, finalized: false })).value).toBe('tool-calls');
  });

  it('goes by the category where one is known', () => {
    expect(aiSdk.encode(terminations.custom({ reason: 'enough', category: 'success' })).value).toBe('stop');
    expect(aiSdk.encode(terminations.custom({ reason: 'broken', category: 'fatal' })).value).toBe('error');
    expect(aiSdk.encode(terminations.cancelled({ by: 'caller' })).value).toBe('other');
    expect(aiSdk.encode(terminations.promptTooLong()).value).toBe('length');
  });

  it('says other for an ending of which not even the category is known', () => {
    expect(aiSdk.encode({ kind: 'custom', reason: 'who knows' }).value).toBe('other');
  });

  it('knows the category of a third-party kind from the registry', () => {
    const reconciled = defineTermination({
      kind: 'billing.reconciled',
      schema: z.object({}),
      family: 'completion',
      category: 'success',
    });
    expect(aiSdk.encode(reconciled({})).value).toBe('other');
    expect(aiSdk.encode(reconciled({}), { registry: createRegistry([reconciled]) }).value).toBe('stop');
  });
});
