import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ending } from '../termination/ending.js';
import { terminations } from '../termination/terminations.js';
import { anyConditions } from './any-condition.fixture.js';
import { consecutiveErrors } from './conditions/consecutive-errors.js';
import { contentMatch } from './conditions/content-match.js';
import { costBudget } from './conditions/cost-budget.js';
import { loopDetection } from './conditions/loop-detection.js';
import { maxIterations } from './conditions/max-iterations.js';
import { maxToolCalls } from './conditions/max-tool-calls.js';
import { stopCondition } from './conditions/stop-condition.js';
import { stopOnTool } from './conditions/stop-on-tool.js';
import { timeout } from './conditions/timeout.js';
import { tokenBudget } from './conditions/token-budget.js';
import { conditionKinds, evaluateConditions } from './evaluate.js';
import { anyLoop, call, failed, observation } from './loop.fixture.js';
import type { ConditionStates } from './observation.js';
import { observeText } from './observe.js';
import { type Cause, orderCauses, slots } from './slots.js';

const enough = terminations.custom({ reason: 'enough', category: 'success' });

/** Conditions that all fire at `everything`, in the order in which they have to win. */
const inOrder = [
  stopOnTool('finish'),
  contentMatch('DONE'),
  timeout({ run: 1 }),
  costBudget({ usd: 1 }),
  tokenBudget({ total: 1 }),
  loopDetection({ repeats: 2, window: 1 }),
  maxIterations(1),
  stopCondition('enough', () => enough),
];

const everything = observation({
  point: 'after_tools',
  iterations: 1,
  rounds: 1,
  toolCalls: 9,
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  costUsd: 2,
  activeMs: 5,
  text: observeText('DONE', inOrder),
  calls: [call('finish')],
  verdicts: { enough },
});

const ready: ConditionStates = evaluateConditions([loopDetection({ repeats: 2, window: 1 })], {}, everything).states;

describe('evaluateConditions', () => {
  it('continues while nothing fires', () => {
    expect(evaluateConditions(inOrder, {}, observation())).toEqual({ states: {}, also: [] });
  });

  it('lets goals win over hard budgets over detectors over caps over custom ones, whatever the order of the list', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(inOrder, { minLength: 1 }), (conditions) => {
        const { winner, also } = evaluateConditions(conditions, ready, everything);
        const expected = inOrder.filter((condition) => conditions.includes(condition)).map(({ kinds }) => kinds[0]);
        expect([winner, ...also].map((ending) => ending?.kind)).toEqual(expected);
      }),
    );
  });

  it('keeps the declared order of equals', () => {
    const detectors = [consecutiveErrors(1), loopDetection({ repeats: 2 })];
    const failing = observation({ calls: [failed('finish')] });
    const { states } = evaluateConditions(detectors, {}, failing);
    for (const conditions of [detectors, detectors.toReversed()]) {
      const { winner, also } = evaluateConditions(conditions, states, failing);
      expect([winner, ...also].map((ending) => ending?.kind)).toEqual(conditions.map(({ kinds }) => kinds[0]));
    }
    const caps = [maxToolCalls(1), maxIterations(1)];
    expect(evaluateConditions(caps, {}, everything).winner?.kind).toBe('max_tool_calls');
    expect(evaluateConditions(caps.toReversed(), {}, everything).winner?.kind).toBe('max_iterations');
    const custom = [stopCondition('b', () => enough), stopCondition('a', () => enough)];
    const verdicts = { a: { ...enough, reason: 'a' }, b: { ...enough, reason: 'b' } };
    expect(evaluateConditions(custom, {}, observation({ verdicts })).winner).toMatchObject({ reason: 'b' });
  });

  it('weighs the causes of the loop itself among its own', () => {
    const own: readonly Cause[] = [
      { slot: 'goal', termination: terminations.naturalEnd() },
      { slot: 'cancelled', termination: terminations.cancelled({ by: 'caller' }) },
    ];
    const { winner, also } = evaluateConditions([maxIterations(1), stopOnTool('finish')], {}, everything, own);
    expect([winner, ...also].map((ending) => ending?.kind)).toEqual([
      'cancelled',
      'tool_called',
      'natural_end',
      'max_iterations',
    ]);
  });

  it('never reports a reached goal as a limit, even while its round is not finished', () => {
    const conditions = [costBudget({ usd: 1 }), contentMatch('DONE')];
    const asking = observation({ point: 'after_response', costUsd: 1, text: observeText('DONE', conditions) });
    expect(evaluateConditions(conditions, {}, asking)).toMatchObject({
      winner: { kind: 'content_matched' },
      also: [{ kind: 'cost_budget' }],
    });
    const within = { ...asking, costUsd: 0.5 };
    expect(evaluateConditions(conditions, {}, within).winner).toBeUndefined();
    const own: readonly Cause[] = [{ slot: 'cancelled', termination: terminations.cancelled({ by: 'caller' }) }];
    expect(evaluateConditions(conditions, {}, within, own)).toMatchObject({ winner: { kind: 'cancelled' }, also: [] });
  });

  it('ends a random run with a goal only, wherever a goal and a limit come together', () => {
    fc.assert(
      fc.property(anyConditions, anyLoop, (conditions, loop) => {
        let states: ConditionStates = {};
        for (const each of loop) {
          const { winner, also, states: next } = evaluateConditions(conditions, states, each);
          states = next;
          const slotOf = (ending: Ending): number =>
            slots.indexOf(
              conditions.find(({ kinds }) => (kinds as readonly string[]).includes(ending.kind))?.slot ?? 'custom',
            );
          const order = winner === undefined ? [] : [winner, ...also].map(slotOf);
          expect(order).toEqual([...order].sort((left, right) => left - right));
        }
      }),
    );
  });

  it('does not touch the states that it was given, and keeps them when nothing changed', () => {
    const states = Object.freeze({});
    const conditions = [maxIterations(5), loopDetection(), stopOnTool('finish')];
    expect(evaluateConditions(conditions, states, observation()).states).toBe(states);
    expect(evaluateConditions(conditions, states, observation({ calls: [call('a')] })).states).not.toBe(states);
  });

  it.each(['__proto__', 'constructor', 'toString'])('takes %s for the name of a custom condition', (name) => {
    const custom = [stopCondition(name, () => enough)];
    expect(evaluateConditions(custom, {}, observation())).toEqual({ states: {}, also: [] });
    const verdicts = JSON.parse(JSON.stringify({ [name]: enough }));
    expect(evaluateConditions(custom, {}, observation({ verdicts })).winner).toEqual(enough);
  });
});

describe('orderCauses', () => {
  it('sorts by slot as the law says', () => {
    const causes = slots.map((slot): Cause => ({ slot, termination: { kind: slot } }));
    fc.assert(
      fc.property(fc.shuffledSubarray(causes), (some) => {
        expect(orderCauses(some)).toEqual(causes.filter((cause) => some.includes(cause)));
      }),
    );
  });
});

describe('conditionKinds', () => {
  it('lists each kind once', () => {
    expect(conditionKinds([stopOnTool('a'), stopOnTool('b'), maxIterations(1)])).toEqual([
      'tool_called',
      'max_iterations',
    ]);
  });
});
