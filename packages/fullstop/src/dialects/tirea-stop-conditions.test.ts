import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatTireaStopConditions,
  parseTireaStopConditions,
  type TireaStopCondition,
} from './tirea-stop-conditions.js';

const goldens: readonly (readonly [object, TireaStopCondition])[] = [
  [
    { type: 'max_rounds', rounds: 10 },
    { name: 'maxIterations', limit: 10, unit: 'round', immediate: false },
  ],
  [
    { type: 'timeout', seconds: 30 },
    { name: 'timeout', limitMs: 30_000, scope: 'run', immediate: false },
  ],
  [
    { type: 'token_budget', max_total: 9000 },
    { name: 'tokenBudget', limit: 9000 },
  ],
  [
    { type: 'consecutive_errors', max: 3 },
    { name: 'consecutiveErrors', limit: 3 },
  ],
  [
    { type: 'stop_on_tool', tool_name: 'finish' },
    { name: 'stopOnTool', tool: 'finish' },
  ],
  [
    { type: 'content_match', pattern: 'DONE' },
    { name: 'contentMatch', pattern: 'DONE' },
  ],
  [
    { type: 'loop_detection', window: 4 },
    { name: 'loopDetection', window: 4 },
  ],
];

describe('Tirea stop conditions', () => {
  it.each(goldens)('reads and writes %j', (json, condition) => {
    expect(parseTireaStopConditions([json])).toEqual([condition]);
    expect(formatTireaStopConditions([condition])).toEqual([json]);
  });

  it('keeps the declared order, which decides who fires first', () => {
    const all = goldens.map(([json]) => json);
    expect(formatTireaStopConditions(parseTireaStopConditions(all))).toEqual(all);
  });

  it('reads 0 as an immediate stop for rounds and time', () => {
    const json = [
      { type: 'max_rounds', rounds: 0 },
      { type: 'timeout', seconds: 0 },
    ];
    const conditions = parseTireaStopConditions(json);
    expect(conditions).toEqual([
      { name: 'maxIterations', limit: 0, unit: 'round', immediate: true },
      { name: 'timeout', limitMs: 0, scope: 'run', immediate: true },
    ]);
    expect(formatTireaStopConditions(conditions)).toEqual(json);
  });

  it.each([
    { type: 'token_budget', max_total: 0 },
    { type: 'consecutive_errors', max: 0 },
    { type: 'stop_on_tool', tool_name: '' },
    { type: 'content_match', pattern: '' },
  ])('leaves out %j, which never fires', (json) => {
    expect(parseTireaStopConditions([json, { type: 'max_rounds', rounds: 5 }])).toHaveLength(1);
  });

  it.each([0, 1, 2])('reads a loop window of %i as 2', (window) => {
    expect(parseTireaStopConditions([{ type: 'loop_detection', window }])).toEqual([
      { name: 'loopDetection', window: 2 },
    ]);
  });

  it.each([
    [{}, 'expected a list of stop conditions, found an object'],
    [[3], '[0]: expected a stop condition, found 3'],
    [[{ type: 'max_round', rounds: 3 }], '[0].type: expected one of max_rounds, '],
    [[{ type: 'max_round', rounds: 3 }], 'did you mean "max_rounds"?'],
    [[{ rounds: 3 }], 'found nothing'],
    [[{ type: 'max_rounds', rounds: 'ten' }], '[0].rounds: expected a whole number of 0 or more, found "ten"'],
    [[{ type: 'timeout', seconds: -1 }], '[0].seconds: expected a whole number of 0 or more, found -1'],
    [[{ type: 'timeout', seconds: 0.5 }], '[0].seconds: expected a whole number of 0 or more, found 0.5'],
    [[{ type: 'content_match', pattern: 3 }], '[0].pattern: expected a string, found 3'],
    [[{ type: 'max_rounds', round: 3 }], '[0].round: unknown field of max_rounds'],
    [[{ type: 'max_rounds', round: 3 }], '[0].rounds: missing, expected a whole number of 0 or more'],
  ])('refuses %j and says where and why: %s', (json, message) => {
    expect(() => parseTireaStopConditions(json)).toThrow(message);
    expect(() => parseTireaStopConditions(json)).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
  });

  it('names the place of every problem', () => {
    const json = [
      { type: 'max_rounds', rounds: 3 },
      { type: 'timeout', seconds: null },
      { type: 'max_rounds', rounds: true },
    ];
    expect(() => parseTireaStopConditions(json)).toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ path: '[1].seconds' }), expect.objectContaining({ path: '[2].rounds' })],
      }),
    );
  });

  it.each<readonly [TireaStopCondition, string]>([
    [{ name: 'timeout', limitMs: 1500, scope: 'run', immediate: false }, '[0].seconds: expected a whole number'],
    [{ name: 'tokenBudget', limit: 0 }, '[0]: {"type":"token_budget","max_total":0} would be no condition at all'],
    [{ name: 'loopDetection', window: 1 }, '[0].window: would be read as {"name":"loopDetection","window":2}'],
    [{ name: 'maxIterations', limit: 0, unit: 'round', immediate: false }, '[0].immediate: would be read as'],
  ])('does not write %j, which would be read otherwise', (condition, message) => {
    expect(() => formatTireaStopConditions([condition])).toThrow(message);
  });

  it('reads what it wrote', () => {
    const count = fc.nat({ max: 100_000 });
    const text = fc.string();
    const spec = fc.oneof(
      fc.record({ type: fc.constant('max_rounds'), rounds: count }),
      fc.record({ type: fc.constant('timeout'), seconds: count }),
      fc.record({ type: fc.constant('token_budget'), max_total: count }),
      fc.record({ type: fc.constant('consecutive_errors'), max: count }),
      fc.record({ type: fc.constant('stop_on_tool'), tool_name: text }),
      fc.record({ type: fc.constant('content_match'), pattern: text }),
      fc.record({ type: fc.constant('loop_detection'), window: count }),
    );
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 6 }), (json) => {
        const conditions = parseTireaStopConditions(json);
        expect(parseTireaStopConditions(formatTireaStopConditions(conditions))).toEqual(conditions);
      }),
    );
  });
});
