import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTermination } from '../termination/terminations.js';
import { anyCondition, anyConditions } from './any-condition.fixture.js';
import { parseStopConditions, stopConditionsToJson } from './condition-json.js';
import { type Evaluation, evaluateConditions } from './evaluate.js';
import { anyLoop, endingsOf } from './loop.fixture.js';
import type { ConditionStates, LoopObservation } from './observation.js';

type Conditions = Parameters<typeof evaluateConditions>[0];

function evaluations(
  conditions: Conditions,
  loop: readonly LoopObservation[],
  start: ConditionStates = {},
): readonly Evaluation[] {
  let states = start;
  return loop.map((each) => {
    const evaluation = evaluateConditions(conditions, states, each);
    states = evaluation.states;
    return evaluation;
  });
}

describe('every condition', () => {
  it('reaches the same in two halves, with its state kept as JSON between them, as in one go', () => {
    fc.assert(
      fc.property(anyConditions, anyLoop, fc.nat(), (conditions, loop, cut) => {
        const middle = cut % loop.length;
        const whole = evaluations(conditions, loop);
        const first = evaluations(conditions, loop.slice(0, middle));
        const saved: ConditionStates = JSON.parse(JSON.stringify(first.at(-1)?.states ?? {}));
        const replayed: readonly LoopObservation[] = JSON.parse(JSON.stringify(loop.slice(middle)));
        expect(evaluations(conditions, replayed, saved)).toEqual(whole.slice(middle));
      }),
      { numRuns: 300 },
    );
  });

  it('is the same after a trip through JSON', () => {
    fc.assert(
      fc.property(anyConditions, anyLoop, (conditions, loop) => {
        const back = parseStopConditions(JSON.parse(JSON.stringify(stopConditionsToJson(conditions))));
        expect(back.map(({ name, kinds, slot }) => ({ name, kinds, slot }))).toEqual(
          conditions.map(({ name, kinds, slot }) => ({ name, kinds, slot })),
        );
        expect(evaluations(back, loop)).toEqual(evaluations(conditions, loop));
      }),
      { numRuns: 300 },
    );
  });

  it('returns valid terminations of the kinds that it declares', () => {
    const fired = new Set<string>();
    fc.assert(
      fc.property(anyCondition, anyLoop, (condition, loop) => {
        for (const ending of endingsOf(condition, loop)) {
          if (ending === undefined) continue;
          expect(isTermination(ending)).toBe(true);
          expect(condition.kinds).toContain((ending as { kind: string }).kind);
          fired.add((ending as { kind: string }).kind);
        }
      }),
      // Seeded, because what is asserted below depends on what came up.
      { numRuns: 1_500, seed: 7 },
    );
    // Budget pressure needs a budget and a finalization beside it; all others must have been seen.
    expect([...fired].sort()).toEqual([
      'consecutive_errors',
      'consecutive_mistakes',
      'content_matched',
      'cost_budget',
      'loop_detected',
      'max_iterations',
      'max_tool_calls',
      'no_progress',
      'stall_detected',
      'time_budget',
      'token_budget',
      'tool_called',
    ]);
  });

  it('does not change what it is given', () => {
    fc.assert(
      fc.property(anyConditions, anyLoop, (conditions, loop) => {
        const frozen = loop.map(deepFreeze);
        let states: ConditionStates = {};
        for (const each of frozen) states = deepFreeze(evaluateConditions(conditions, states, each).states);
      }),
    );
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
