import { describe, expect, it } from 'vitest';
import { terminations } from '../termination/terminations.js';
import { budgetPressure } from './conditions/budget-pressure.js';
import { consecutiveErrors } from './conditions/consecutive-errors.js';
import { contentMatch } from './conditions/content-match.js';
import { costBudget } from './conditions/cost-budget.js';
import { loopDetection } from './conditions/loop-detection.js';
import { maxIterations } from './conditions/max-iterations.js';
import { noProgress } from './conditions/no-progress.js';
import { stopOnTool } from './conditions/stop-on-tool.js';
import { timeout } from './conditions/timeout.js';
import { tokenBudget } from './conditions/token-budget.js';
import { evaluateConditions } from './evaluate.js';
import { call, failed, observation, round } from './loop.fixture.js';
import { observeText } from './observe.js';
import { checkConditions, firesAtOnce, mergeConditions, resetAfterResume } from './resume-conditions.js';

const old = [maxIterations(5), stopOnTool('a'), stopOnTool('b'), costBudget({ usd: 1 })];

function names(change: Parameters<typeof mergeConditions>[1]): readonly unknown[] {
  return mergeConditions<string, string>(old, change).map((condition) => condition.toJSON());
}

describe('mergeConditions', () => {
  it('replaces in place what has the same name and appends what is new', () => {
    expect(names({ stopWhen: [noProgress(2), maxIterations(9)] })).toEqual([
      { type: 'maxIterations', limit: 9 },
      { type: 'stopOnTool', tool: 'a' },
      { type: 'stopOnTool', tool: 'b' },
      { type: 'costBudget', usd: 1 },
      { type: 'noProgress', limit: 2 },
    ]);
  });

  it('keeps of a condition what the new one does not name', () => {
    const limits = timeout({ run: '1m', model: '10s', tool: 5000 });
    const merge = (condition: ReturnType<typeof timeout>) =>
      mergeConditions<string, string>([limits], { stopWhen: [condition] })[0];
    const longer = merge(timeout({ run: '2m' }));
    expect(longer?.toJSON()).toEqual({ type: 'timeout', run: '2m', model: '10s', tool: 5000 });
    expect(longer?.limits).toEqual({ runMs: 120_000, modelMs: 10_000, toolMs: 5000 });
    expect(merge(timeout({ model: false }))?.toJSON()).toEqual({
      type: 'timeout',
      run: '1m',
      model: false,
      tool: 5000,
    });
    const rounds = mergeConditions([maxIterations(5, { unit: 'round' })], { stopWhen: [maxIterations(9)] });
    expect(rounds.map((condition) => condition.toJSON())).toEqual([{ type: 'maxIterations', limit: 9, unit: 'round' }]);
  });

  it('leaves out by name, or all of a builder', () => {
    expect(names({ without: ['stopOnTool(a)'] })).toHaveLength(3);
    expect(names({ without: ['stopOnTool', 'maxIterations'] })).toEqual([{ type: 'costBudget', usd: 1 }]);
  });

  it('changes nothing when nothing is asked for', () => {
    expect(mergeConditions(old, {})).toEqual(old);
  });

  it('refuses to leave out what is not there', () => {
    expect(() => mergeConditions(old, { without: ['maxIteration'] })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('did you mean "maxIterations"?'),
      }),
    );
  });

  it('refuses two of the same name', () => {
    const twice = [maxIterations(5), costBudget({ usd: 1 }), maxIterations(6)];
    const error = expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('Two stop conditions are named maxIterations, at [0] and [2]'),
    });
    expect(() => checkConditions(twice)).toThrow(error);
    expect(() => mergeConditions(old, { stopWhen: twice })).toThrow(error);
    expect(checkConditions(old)).toBe(old);
  });
});

describe('resetAfterResume', () => {
  const conditions = [loopDetection({ repeats: 2 }), consecutiveErrors(2), maxIterations(50)];
  const failing = round(failed('a'));
  const first = evaluateConditions(conditions, {}, failing);
  const second = evaluateConditions(conditions, first.states, failing);

  it('empties the windows of the detectors that fired, the losers too', () => {
    const { winner, also, states } = second;
    expect(also).toHaveLength(1);
    const reset = resetAfterResume(conditions, states, [winner!, ...also]);
    expect(reset.names).toEqual(['maxIterations']);
    expect(evaluateConditions(conditions, reset, failing).winner).toBeUndefined();
  });

  it('lets everything else continue counting', () => {
    const reset = resetAfterResume(conditions, first.states, [terminations.cancelled({ by: 'caller' })]);
    expect(reset).toEqual(first.states);
    expect(evaluateConditions(conditions, reset, failing).winner?.kind).toBe('loop_detected');
  });

  it('forgets conditions that are gone', () => {
    expect(resetAfterResume([consecutiveErrors(9)], first.states, []).names).toEqual(['consecutiveErrors']);
  });

  it('continues with what was counted under another limit', () => {
    const merged = mergeConditions(conditions, { stopWhen: [loopDetection({ repeats: 3, window: 9 })] });
    const states = resetAfterResume(merged, first.states, []);
    const again = evaluateConditions(merged, states, round(call('a')));
    expect(again.winner).toBeUndefined();
    const names = mergeConditions(conditions, { stopWhen: [loopDetection({ repeats: 2, compare: 'names' })] });
    expect(evaluateConditions(names, first.states, round(call('a'))).winner).toBeUndefined();
  });
});

describe('firesAtOnce', () => {
  const last = observation({ point: 'after_iteration', iterations: 5, costUsd: 0.9, rounds: 7 });

  it('names the limit that was not raised', () => {
    expect(firesAtOnce([maxIterations(5), costBudget({ usd: 1 })], {}, last)).toEqual([
      { kind: 'max_iterations', limit: 5, used: 5, unit: 'iteration' },
    ]);
    expect(firesAtOnce([maxIterations(4)], {}, last)).toHaveLength(1);
    expect(firesAtOnce([maxIterations(6), costBudget({ usd: 1 })], {}, last)).toEqual([]);
  });

  it('does not hold a detector against a run once its window is empty', () => {
    const conditions = [consecutiveErrors(1)];
    const at = { ...last, calls: [failed('a')] };
    const { winner, states } = evaluateConditions(conditions, {}, at);
    expect(firesAtOnce(conditions, resetAfterResume(conditions, states, [winner!]), at)).toEqual([]);
  });

  it('does not take a reached goal for a limit', () => {
    const conditions = [contentMatch('DONE')];
    const asking = { ...last, point: 'after_response' as const, text: observeText('DONE', conditions) };
    const { states } = evaluateConditions(conditions, {}, asking);
    expect(firesAtOnce(conditions, states, asking)).toEqual([]);
  });

  it('refuses a second wrap-up with the same budget, but lets a broken off one be made', () => {
    const at = observation({ usage: { inputTokens: 0, outputTokens: 0, totalTokens: 90 } });
    const conditions = [budgetPressure(0.8), tokenBudget({ total: 100 })];
    const { states } = evaluateConditions(conditions, {}, at);
    expect(firesAtOnce(conditions, states, at)).toEqual([]);
    const ended = terminations.budgetPressure({ threshold: 0.8, resource: 'tokens', finalized: true });
    const reset = resetAfterResume(conditions, states, [ended]);
    expect(firesAtOnce(conditions, reset, at)).toEqual([{ ...ended, finalized: false }]);
    const raised = mergeConditions(conditions, { stopWhen: [tokenBudget({ total: 500 })] });
    expect(firesAtOnce(raised, reset, at)).toEqual([]);
  });
});
