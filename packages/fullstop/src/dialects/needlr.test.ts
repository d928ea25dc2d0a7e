import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTermination } from '../termination/define-termination.js';
import { createRegistry } from '../termination/registry.js';
import { terminations } from '../termination/terminations.js';
import { describeDialect } from './dialect-suite.fixture.js';
import { needlr } from './needlr.js';

describeDialect(needlr, [
  { value: { $kind: 'Completed' }, termination: { kind: 'completed', check: 'iteration' }, unknown: [] },
  { value: { $kind: 'NaturalCompletion' }, termination: { kind: 'natural_end' }, unknown: [] },
  {
    value: { $kind: 'CompletedEarlyAfterToolCall' },
    termination: { kind: 'completed', check: 'tool_call' },
    unknown: [],
  },
  {
    value: { $kind: 'MaxIterationsReached', Limit: 10, IterationsUsed: 7 },
    termination: { kind: 'max_iterations', limit: 10, used: 7, unit: 'iteration' },
    unknown: [],
  },
  {
    value: { $kind: 'MaxToolCallsReached', Limit: 5, ToolCallsUsed: 6 },
    termination: { kind: 'max_tool_calls', limit: 5, used: 6 },
    unknown: [],
  },
  {
    value: { $kind: 'BudgetPressure', Threshold: 0.8 },
    termination: { kind: 'budget_pressure', threshold: 0.8, resource: 'tokens' },
    unknown: ['finalized'],
  },
  {
    value: { $kind: 'BudgetPressure', Threshold: null },
    termination: { kind: 'budget_pressure', resource: 'tokens' },
    unknown: ['threshold', 'finalized'],
  },
  {
    value: { $kind: 'StallDetected', ConsecutiveThreshold: 3 },
    termination: { kind: 'stall_detected', consecutive: 3 },
    unknown: ['tolerance', 'tokens'],
  },
  {
    value: { $kind: 'StallDetected', ConsecutiveThreshold: null },
    termination: { kind: 'stall_detected' },
    unknown: ['consecutive', 'tolerance', 'tokens'],
  },
  { value: { $kind: 'Cancelled' }, termination: { kind: 'cancelled' }, unknown: ['by'] },
  {
    value: { $kind: 'Failed', Exception: { Message: 'boom' } },
    termination: { kind: 'failed', error: { message: 'boom' } },
    unknown: ['error.name', 'origin', 'errorClass'],
  },
  {
    value: { $kind: 'Failed', Exception: null },
    termination: { kind: 'failed' },
    unknown: ['error', 'origin', 'errorClass'],
  },
  {
    value: { $kind: 'Skipped', Reason: 'nothing to do' },
    termination: { kind: 'skipped', reason: 'nothing to do' },
    unknown: [],
  },
  { value: { $kind: 'Skipped', Reason: null }, termination: { kind: 'skipped' }, unknown: [] },
  {
    value: { $kind: 'Custom', Reason: 'Reconciled', Properties: { FindingCount: 4 } },
    termination: { kind: 'custom', reason: 'Reconciled', properties: { FindingCount: 4 } },
    unknown: ['category'],
  },
  {
    value: { $kind: 'Custom', Reason: 'Reconciled', Properties: null },
    termination: { kind: 'custom', reason: 'Reconciled' },
    unknown: ['category'],
  },
]);

describe('Needlr', () => {
  it('carries a kind that it does not have as Custom, and says that the kind is lost', () => {
    expect(needlr.encode(terminations.costBudget({ limitUsd: 2, usedUsd: 2.5 }))).toEqual({
      value: { $kind: 'Custom', Reason: 'cost_budget', Properties: { limitUsd: 2, usedUsd: 2.5 } },
      fidelity: 'none',
      lost: ['kind', 'limitUsd', 'usedUsd'],
    });
  });

  it('writes and reads a third-party kind under its Needlr name, with PascalCase fields', () => {
    const reconciled = defineTermination({
      kind: 'billing.reconciled',
      schema: z.object({ findingCount: z.number() }),
      family: 'completion',
      category: 'success',
      dialects: { needlr: 'Reconciled' },
    });
    const registry = createRegistry([reconciled]);
    const written = needlr.encode(reconciled({ findingCount: 7 }), { registry });
    expect(written).toEqual({ value: { $kind: 'Reconciled', FindingCount: 7 }, fidelity: 'full', lost: [] });
    expect(needlr.decode(written.value, { registry })).toEqual({
      termination: reconciled({ findingCount: 7 }),
      unknown: [],
    });
  });

  it('suggests the word that was probably meant', () => {
    expect(() => needlr.decode({ $kind: 'Canceled' })).toThrow('did you mean "Cancelled"?');
  });
});
