import { describe, expect, it } from 'vitest';
import type { StopCondition } from '../condition.js';
import { budgetPressureOf, evaluateConditions } from '../evaluate.js';
import { observation } from '../loop.fixture.js';
import type { LoopObservation } from '../observation.js';
import { budgetPressure } from './budget-pressure.js';
import { costBudget } from './cost-budget.js';
import { maxIterations } from './max-iterations.js';
import { timeout } from './timeout.js';
import { tokenBudget } from './token-budget.js';

function pressureAfter(conditions: readonly StopCondition<string>[], given: Partial<LoopObservation>): unknown {
  const { states } = evaluateConditions([budgetPressure(0.8), ...conditions], {}, observation(given));
  return budgetPressureOf([budgetPressure(0.8), ...conditions], states);
}

const tokens = (totalTokens: number) => ({ usage: { inputTokens: 0, outputTokens: 0, totalTokens } });

describe('budgetPressure', () => {
  it.each([
    ['time', [timeout({ run: 1_000 })], { activeMs: 799 }, { activeMs: 800 }],
    ['cost', [costBudget({ usd: 1 })], { costUsd: 0.79 }, { costUsd: 0.8 }],
    ['tokens', [tokenBudget({ total: 100 })], tokens(79), tokens(80)],
    ['tokens', [], { ...tokens(39), budgets: { tokens: 50 } }, { ...tokens(40), budgets: { tokens: 50 } }],
    [
      'tokens',
      [tokenBudget({ total: 100 })],
      { ...tokens(39), budgets: { tokens: 50 } },
      { ...tokens(40), budgets: { tokens: 50 } },
    ],
  ])('comes with its part of the budget of %s', (resource, conditions, before, then) => {
    expect(pressureAfter(conditions, before)).toBeUndefined();
    expect(pressureAfter(conditions, then)).toEqual({ resource, threshold: 0.8 });
  });

  it.each([
    ['without a hard budget', [maxIterations(2)], { iterations: 2, ...tokens(1e9), activeMs: 1e9 }],
    ['on an unknown cost', [costBudget({ usd: 0.001 })], { costUsd: null }],
    [
      'from the timeout of an iteration, which starts anew',
      [timeout({ iteration: 10 })],
      { iterationMs: 9, activeMs: 900 },
    ],
  ])('does not come %s', (_name, conditions, given) => {
    expect(pressureAfter(conditions, given)).toBeUndefined();
  });

  it.each([true, false])('ends the run with its finalization iteration, answered: %s', (answered) => {
    const conditions = [budgetPressure(0.5), tokenBudget({ total: 100 })];
    const first = evaluateConditions(conditions, {}, observation({ point: 'after_tools', ...tokens(60) }));
    expect(first.winner).toBeUndefined();
    const during = evaluateConditions(conditions, first.states, observation({ point: 'before_call', ...tokens(60) }));
    expect(during.winner).toBeUndefined();
    const last = observation({ point: 'after_response', ...tokens(70), finalization: { answered } });
    expect(evaluateConditions(conditions, during.states, last).winner).toEqual({
      kind: 'budget_pressure',
      threshold: 0.5,
      resource: 'tokens',
      finalized: answered,
    });
  });

  it('keeps an answer that cost the rest of the budget, and gives way to the budget without one', () => {
    const conditions = [tokenBudget({ total: 100 }), budgetPressure(0.5)];
    const { states } = evaluateConditions(conditions, {}, observation(tokens(60)));
    const winnerWith = (answered: boolean) =>
      evaluateConditions(conditions, states, observation({ ...tokens(120), finalization: { answered } }));
    expect(winnerWith(true)).toMatchObject({ winner: { kind: 'budget_pressure' }, also: [{ kind: 'token_budget' }] });
    expect(winnerWith(false)).toMatchObject({ winner: { kind: 'token_budget' }, also: [{ kind: 'budget_pressure' }] });
  });

  it.each([0, 1, -0.5, 1.5, Number.NaN, '0.8'])('refuses %s', (ratio) => {
    expect(() => budgetPressure(ratio as number)).toThrow(expect.objectContaining({ code: 'INVALID_LIMIT' }));
  });
});
