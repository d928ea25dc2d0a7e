import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endingsOf, observation } from '../loop.fixture.js';
import { costBudget } from './cost-budget.js';
import { maxIterations } from './max-iterations.js';
import { maxToolCalls } from './max-tool-calls.js';
import { timeout } from './timeout.js';
import { tokenBudget } from './token-budget.js';

const limit = fc.integer({ min: 1, max: 1_000_000 });

const cases = [
  {
    name: 'maxIterations',
    make: (n: number) => maxIterations(n),
    used: (n: number) => observation({ iterations: n, rounds: 9_999_999 }),
    ending: (n: number, used: number) => ({ kind: 'max_iterations', limit: n, used, unit: 'iteration' }),
  },
  {
    name: 'maxIterations in rounds',
    make: (n: number) => maxIterations(n, { unit: 'round' }),
    used: (n: number) => observation({ rounds: n, iterations: 9_999_999 }),
    ending: (n: number, used: number) => ({ kind: 'max_iterations', limit: n, used, unit: 'round' }),
  },
  {
    name: 'maxToolCalls',
    make: (n: number) => maxToolCalls(n),
    used: (n: number) => observation({ toolCalls: n }),
    ending: (n: number, used: number) => ({ kind: 'max_tool_calls', limit: n, used }),
  },
  {
    name: 'tokenBudget',
    make: (n: number) => tokenBudget({ total: n }),
    used: (n: number) => observation({ usage: { inputTokens: 0, outputTokens: 0, totalTokens: n } }),
    ending: (n: number, used: number) => ({ kind: 'token_budget', limit: n, used }),
  },
  {
    name: 'costBudget',
    make: (n: number) => costBudget({ usd: n }),
    used: (n: number) => observation({ costUsd: n }),
    ending: (n: number, used: number) => ({ kind: 'cost_budget', limitUsd: n, usedUsd: used }),
  },
  {
    name: 'timeout of the run',
    make: (n: number) => timeout({ run: n }),
    used: (n: number) => observation({ activeMs: n }),
    ending: (n: number, used: number) => ({ kind: 'time_budget', limitMs: n, elapsedMs: used, scope: 'run' }),
  },
  {
    name: 'timeout of an iteration',
    make: (n: number) => timeout({ iteration: n }),
    used: (n: number) => observation({ iterationMs: n, activeMs: 9_999_999 }),
    ending: (n: number, used: number) => ({ kind: 'time_budget', limitMs: n, elapsedMs: used, scope: 'iteration' }),
  },
];

describe.each(cases)('$name', ({ make, used, ending }) => {
  it('fires at its limit, not before and at nothing later', () => {
    fc.assert(
      fc.property(limit, fc.nat({ max: 2_000_000 }), (most, amount) => {
        const [found] = endingsOf(make(most), [used(amount)]);
        expect(found).toEqual(amount >= most ? ending(most, amount) : undefined);
      }),
    );
    expect(endingsOf(make(7), [used(6), used(7)])).toEqual([undefined, ending(7, 7)]);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', null])('refuses %s as a limit', (value) => {
    expect(() => make(value as number)).toThrow(expect.objectContaining({ code: 'INVALID_LIMIT' }));
  });
});

describe('the message for a limit of 0', () => {
  it.each([
    [
      () => maxIterations(0),
      'maxIterations: limit is 0; it must be a whole number above 0. 0 does not mean "no limit"',
    ],
    [() => maxIterations(2.5), 'maxIterations: limit is 2.5; it must be a whole number above 0.'],
    [() => tokenBudget({ total: -3 }), 'tokenBudget: total is -3; it must be a whole number above 0.'],
    [() => costBudget({ usd: 0 }), 'costBudget: usd is 0; it must be a number above 0. 0 does not mean "no limit"'],
    [() => timeout({ run: '0s' }), 'timeout: run is "0s"; it must be a time above 0'],
    [() => timeout({ run: 0 }), 'timeout: run is 0; it must be a number above 0.'],
  ])('says what was found and what is allowed: %s', (make, message) => {
    expect(make).toThrow(message);
  });
});

describe('options', () => {
  it('refuses what is misspelt, because a misspelt limit is no limit', () => {
    expect(() => tokenBudget({ totl: 5 } as never)).toThrow(
      'tokenBudget has no option "totl" (did you mean "total"?); there is total.',
    );
    expect(() => timeout({ iterations: 5 } as never)).toThrow('did you mean "iteration"?');
    expect(() => maxIterations(5, { unit: 'turn' as never })).toThrow('iteration or round');
    expect(() => costBudget(2 as never)).toThrow('costBudget is 2; it must be an object with usd');
    expect(() => timeout({})).toThrow('at least one of run, iteration, model, tool');
  });
});

describe('costBudget', () => {
  it('never fires on an unknown cost, which is not 0 and not too much', () => {
    expect(endingsOf(costBudget({ usd: 0.000001 }), [observation({ costUsd: null })])).toEqual([undefined]);
  });
});

describe('timeout', () => {
  it.each([
    ['250ms', 250],
    ['1.5s', 1_500],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    [40, 40],
  ] as const)('takes %s as %d ms', (given, milliseconds) => {
    expect(timeout({ run: given }).limits).toEqual({ runMs: milliseconds });
  });

  it.each(['5', 's', '5 s', '-5s', '1e3s', '5y'])('refuses %s as a time', (given) => {
    expect(() => timeout({ run: given as never })).toThrow(expect.objectContaining({ code: 'INVALID_LIMIT' }));
  });

  it('leaves model and tool calls to the loop, which has to cut them off', () => {
    const condition = timeout({ model: '1m', tool: '10s' });
    expect(condition.limits).toEqual({ modelMs: 60_000, toolMs: 10_000 });
    expect(condition.kinds).toEqual(['time_budget']);
    expect(endingsOf(condition, [observation({ activeMs: 9e9, iterationMs: 9e9 })])).toEqual([undefined]);
  });

  it('turns the limit of model calls off, and no other', () => {
    const condition = timeout({ model: false });
    expect(condition.limits).toEqual({ modelMs: Number.POSITIVE_INFINITY });
    expect(condition.kinds).toEqual([]);
    expect(condition.toJSON()).toEqual({ type: 'timeout', model: false });
    expect(timeout({ model: false, run: '1h' }).kinds).toEqual(['time_budget']);
    expect(() => timeout({ run: false as never })).toThrow('timeout: run is false; it must be a number above 0');
    expect(() => timeout({ model: true as never })).toThrow('timeout: model is true; it must be a number above 0');
  });

  it('ends no run by the timeout of a tool, which is an error result for the model', () => {
    expect(timeout({ tool: '10s' }).kinds).toEqual([]);
  });

  it('names the run before the iteration when both are over', () => {
    const [ending] = endingsOf(timeout({ run: 10, iteration: 5 }), [observation({ activeMs: 10, iterationMs: 10 })]);
    expect(ending).toMatchObject({ scope: 'run' });
  });
});
