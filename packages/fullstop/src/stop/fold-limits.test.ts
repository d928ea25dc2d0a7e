import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyConditions } from './any-condition.fixture.js';
import { budgetPressure } from './conditions/budget-pressure.js';
import { contentMatch } from './conditions/content-match.js';
import { maxIterations } from './conditions/max-iterations.js';
import { stopCondition } from './conditions/stop-condition.js';
import { timeout } from './conditions/timeout.js';
import { evaluateConditions } from './evaluate.js';
import { foldLimits } from './fold-limits.js';
import { anyLoop, observation } from './loop.fixture.js';
import type { ConditionStates } from './observation.js';
import { observeText } from './observe.js';

const iterations = Array.from({ length: 10 }, (_, index) =>
  observation({ point: 'after_iteration', iterations: index + 1, costUsd: index / 10 }),
);

describe('foldLimits', () => {
  it('says where other limits would have ended a run', () => {
    expect(foldLimits(iterations, [maxIterations(4)])).toEqual({
      index: 3,
      observation: iterations[3],
      termination: { kind: 'max_iterations', limit: 4, used: 4, unit: 'iteration' },
      also: [],
    });
    expect(foldLimits(iterations, [maxIterations(11)])).toBeUndefined();
    expect(foldLimits(iterations, [])).toBeUndefined();
  });

  it('agrees with a run that had these limits, and cuts earlier only with tighter ones', () => {
    fc.assert(
      fc.property(anyConditions, anyLoop, (conditions, loop) => {
        const cutting = conditions.filter(({ steers }) => steers === undefined);
        const cut = foldLimits(loop, cutting);
        let states: ConditionStates = {};
        const index = loop.findIndex((each) => {
          const evaluation = evaluateConditions(cutting, states, each);
          states = evaluation.states;
          return evaluation.winner !== undefined;
        });
        expect(cut?.index ?? -1).toBe(index);
        const fewer = foldLimits(loop, cutting.slice(1));
        expect(cut?.index ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(fewer?.index ?? Number.POSITIVE_INFINITY);
      }),
    );
  });

  it.each([
    ['budgetPressure', budgetPressure(0.8), 'told to wrap up'],
    ['mine', stopCondition('mine', () => undefined), 'verdict'],
    ['timeout', timeout({ run: '1m', tool: '5s' }), 'cut off'],
    ['timeout', timeout({ model: '5s' }), 'cut off'],
  ])('refuses %s by name: the run would have been another', (name, condition, reason) => {
    expect(() => foldLimits(iterations, [maxIterations(3), condition])).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringMatching(new RegExp(`^${name} cannot be tried on a recorded run: .*${reason}`)),
      }),
    );
  });

  it('tries the timeout of a run or an iteration, which only cuts', () => {
    expect(foldLimits([observation({ activeMs: 50 })], [timeout({ run: 40, iteration: 40 })])?.index).toBe(0);
  });

  it('refuses to search texts that were not kept, instead of finding nothing', () => {
    const said = (text: string, kept: boolean) =>
      observation({
        point: 'after_response',
        text: observeText(text, kept ? [contentMatch({ regExp: 'x' })] : []),
        calls: [],
      });
    expect(() => foldLimits([said('DONE', false)], [contentMatch('DONE')])).toThrow('were not kept');
    expect(() => foldLimits([said('x'.repeat(20_000), true)], [contentMatch('DONE')])).toThrow('were not kept');
    expect(foldLimits([said('x'.repeat(20_000), true)], [contentMatch({ regExp: 'x$' })])?.index).toBe(0);
    expect(foldLimits([said('DONE', true)], [contentMatch('DONE')])?.index).toBe(0);
  });
});
