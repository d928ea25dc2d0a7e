import { describe, expect, it } from 'vitest';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { terminations } from '../termination/terminations.js';
import { parseStopConditions, stopConditionsToJson } from './condition-json.js';
import { stopCondition } from './conditions/stop-condition.js';
import { call, endingsOf, firstEnding, observation, round } from './loop.fixture.js';

const ours = [
  { type: 'maxIterations', limit: 20 },
  { type: 'maxToolCalls', limit: 40 },
  { type: 'timeout', run: '10m', tool: 5000 },
  { type: 'tokenBudget', total: 9000 },
  { type: 'costBudget', usd: 2.5 },
  { type: 'consecutiveErrors', limit: 3 },
  { type: 'consecutiveMistakes', limit: 3 },
  { type: 'stopOnTool', tool: 'finish' },
  { type: 'contentMatch', text: 'DONE' },
  { type: 'contentMatch', regExp: 'do+ne', flags: 'i' },
  { type: 'loopDetection', repeats: 3, window: 5, compare: 'results' },
  { type: 'stallDetection', consecutive: 3, tolerance: 0.1 },
  { type: 'noProgress', limit: 3 },
  { type: 'budgetPressure', ratio: 0.8 },
];

describe('parseStopConditions', () => {
  it('reads what stopConditionsToJson writes', () => {
    expect(stopConditionsToJson(parseStopConditions(ours))).toEqual(ours);
    expect(JSON.parse(JSON.stringify(parseStopConditions(ours)))).toEqual(ours);
  });

  it('reads a limit that is turned off', () => {
    const json = [{ type: 'timeout', model: false }];
    expect(stopConditionsToJson(parseStopConditions(json))).toEqual(json);
  });

  it('fills in what has a default', () => {
    const json = [{ type: 'loopDetection' }, { type: 'stallDetection' }, { type: 'noProgress' }];
    expect(stopConditionsToJson(parseStopConditions(json))).toEqual(ours.slice(10, 13));
  });

  it('finds a custom condition among those that come with the JSON', () => {
    const mine = stopCondition('mine', () => terminations.custom({ reason: 'x', category: 'success' }));
    const json = stopConditionsToJson([mine]);
    expect(parseStopConditions(json, { custom: [mine] })).toEqual([mine]);
    expect(() => parseStopConditions(json)).toThrow('[0].name: no custom condition "mine" was passed along');
    expect(() => parseStopConditions([{ type: 'custom', name: 'mime' }], { custom: [mine] })).toThrow(
      'did you mean "mine"?',
    );
  });

  it.each([
    [
      { type: 'max_rounds', rounds: 10 },
      { type: 'maxIterations', limit: 10, unit: 'round' },
    ],
    [
      { type: 'timeout', seconds: 30 },
      { type: 'timeout', run: 30_000 },
    ],
    [
      { type: 'token_budget', max_total: 9000 },
      { type: 'tokenBudget', total: 9000 },
    ],
    [
      { type: 'consecutive_errors', max: 3 },
      { type: 'consecutiveErrors', limit: 3 },
    ],
    [
      { type: 'stop_on_tool', tool_name: 'finish' },
      { type: 'stopOnTool', tool: 'finish' },
    ],
    [
      { type: 'content_match', pattern: 'a.b' },
      { type: 'contentMatch', text: 'a.b' },
    ],
    [
      { type: 'loop_detection', window: 4 },
      { type: 'loopDetection', repeats: 2, window: 1, compare: 'names' },
    ],
  ])('reads the shape %j of Tirea', (tirea, own) => {
    expect(stopConditionsToJson(parseStopConditions([tirea]))).toEqual([own]);
  });

  it.each([
    { type: 'token_budget', max_total: 0 },
    { type: 'consecutive_errors', max: 0 },
    { type: 'stop_on_tool', tool_name: '' },
    { type: 'content_match', pattern: '' },
  ])('reads %j as no condition, by the rules of Tirea', (json) => {
    expect(parseStopConditions([json])).toEqual([]);
  });

  it('reads 0 rounds and 0 seconds as a stop at the first evaluation after a round, by the rules of Tirea', () => {
    const [rounds, time] = parseStopConditions([
      { type: 'max_rounds', rounds: 0 },
      { type: 'timeout', seconds: 0 },
    ]);
    const points = [observation(), observation({ point: 'after_tools', rounds: 1, activeMs: 0 })];
    expect(firstEnding(rounds!, points)).toBe(1);
    expect(firstEnding(time!, points)).toBe(1);
    expect(endingsOf(time!, points)[1]).toMatchObject({ kind: 'time_budget', scope: 'run' });
  });

  it.each([0, 1, 2, 20])('reads a loop window of %i as two rounds in a row with the same names', (window) => {
    const [condition] = parseStopConditions([{ type: 'loop_detection', window }]);
    expect(firstEnding(condition!, [round(call('a', 1)), round(call('b')), round(call('a'))])).toBe(-1);
    expect(firstEnding(condition!, [round(call('b'), call('a', 1)), round(call('a', 2), call('b'))])).toBe(1);
  });

  it.each([
    [{}, 'expected a list of stop conditions, found an object'],
    [[5], '[0]: expected a stop condition, found 5'],
    [[{ limit: 5 }], '[0].type: expected one of maxIterations'],
    [[{ type: 'maxIteration', limit: 5 }], '[0].type: expected one of'],
    [[{ type: 'maxIteration', limit: 5 }], 'did you mean "maxIterations"?'],
    [[{ type: 'max_round', rounds: 5 }], 'did you mean "max_rounds"?'],
    [[{ type: 'maxIterations', limits: 5 }], '[0].limits: unknown field of maxIterations (did you mean "limit"?)'],
    [[{ type: 'maxIterations' }], '[0].limit: missing, expected a whole number above 0'],
    [[{ type: 'maxIterations', limit: 0 }], '[0].limit: found 0, expected a whole number above 0'],
    [
      [
        { type: 'tokenBudget', total: 5 },
        { type: 'costBudget', usd: -1 },
      ],
      '[1].usd: found -1, expected a number above 0',
    ],
    [
      [ours[0], ours[1], { type: 'max_rounds', rounds: -1 }],
      '[2].rounds: found -1, expected a whole number of 0 or more',
    ],
    [[{ type: 'max_rounds' }], '[0].rounds: missing, expected a whole number of 0 or more'],
    [[{ type: 'max_rounds', rounds: 5, round: 6 }], '[0].round: unknown field of max_rounds'],
    [[{ type: 'timeout', seconds: 5, run: 6 }], '[0].run: unknown field of timeout'],
    [[{ type: 'timeout', second: 5 }], '[0].second: unknown field of timeout'],
    [
      [{ type: 'timeout' }],
      '[0]: found an object, expected an object with at least one of run, iteration, model, tool',
    ],
    [[{ type: 'stop_on_tool', tool_name: 5 }], '[0].tool_name: found 5, expected a string'],
    [[{ type: 'contentMatch', regExp: '(a)\\1' }], '[0].regExp: the pattern /(a)\\1/ is refused'],
    [[{ type: 'contentMatch', text: 'a', regExp: 'b' }], '[0].text: unknown option of contentMatch'],
    [[{ type: 'contentMatch' }], '[0]'],
    [
      [{ type: 'loopDetection', compare: 'name' }],
      '[0].compare: found "name", expected one of results, arguments, names',
    ],
    [[{ type: '__proto__' }], '[0].type: expected one of'],
    [[{ type: 'toString' }], '[0].type: expected one of'],
  ])('refuses %j: %s', (json, message) => {
    expect(() => parseStopConditions(json)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(message) }),
    );
  });

  it('reports everything at once', () => {
    try {
      parseStopConditions([{ type: 'maxIterations', limit: 0 }, 5, { type: 'nope' }]);
      expect.unreachable();
    } catch (error) {
      expect(FullstopError.is(error) && error.issues.map(({ path }) => path)).toEqual(['[0].limit', '[1]', '[2].type']);
    }
  });

  it('refuses the same condition twice, in whatever vocabulary', () => {
    expect(() => parseStopConditions([ours[0], { type: 'max_rounds', rounds: 5 }])).toThrow('at [0] and [1]');
  });
});
