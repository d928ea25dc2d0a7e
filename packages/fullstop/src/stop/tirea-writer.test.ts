import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStopConditions, stopConditionsToJson } from './condition-json.js';
import { costBudget } from './conditions/cost-budget.js';
import { loopDetection } from './conditions/loop-detection.js';
import { maxIterations } from './conditions/max-iterations.js';
import { stopCondition } from './conditions/stop-condition.js';
import { timeout } from './conditions/timeout.js';
import { formatTireaStopConditions } from './tirea-writer.js';

const positive = fc.integer({ min: 1, max: 1_000_000 });
const whole = fc.integer({ min: 0, max: 1_000_000 });
const word = fc.string({ minLength: 1 });
const shapes = [
  whole.map((rounds) => ({ type: 'max_rounds', rounds })),
  whole.map((seconds) => ({ type: 'timeout', seconds })),
  positive.map((max_total) => ({ type: 'token_budget', max_total })),
  positive.map((max) => ({ type: 'consecutive_errors', max })),
  word.map((tool_name) => ({ type: 'stop_on_tool', tool_name })),
  word.map((pattern) => ({ type: 'content_match', pattern })),
  whole.map((window) => ({ type: 'loop_detection', window })),
] as const;

describe('formatTireaStopConditions', () => {
  it('writes what parseStopConditions reads, in the declared order, which decides who fires first', () => {
    const list = fc
      .tuple(...shapes)
      .chain((each) => fc.shuffledSubarray([...each]))
      .filter((each) => new Set(each.map(({ type }) => type)).size === each.length);
    fc.assert(
      fc.property(list, (json) => {
        const conditions = parseStopConditions(json);
        expect(formatTireaStopConditions(conditions)).toEqual(json);
        const again = parseStopConditions(formatTireaStopConditions(conditions));
        expect(stopConditionsToJson(again)).toEqual(stopConditionsToJson(conditions));
      }),
    );
  });

  it('writes 0 rounds and 0 seconds back, also after a detour through our own JSON', () => {
    const json = [
      { type: 'max_rounds', rounds: 0 },
      { type: 'timeout', seconds: 0 },
    ];
    const conditions = parseStopConditions(json);
    expect(formatTireaStopConditions(conditions)).toEqual(json);
    // Our own JSON does not tell 0 rounds from 1, which both stop after the first.
    expect(formatTireaStopConditions(parseStopConditions(stopConditionsToJson(conditions)))).toEqual([
      { type: 'max_rounds', rounds: 1 },
      { type: 'timeout', seconds: 0 },
    ]);
  });

  it('takes a duration in any unit', () => {
    expect(formatTireaStopConditions([timeout({ run: '2m' })])).toEqual([{ type: 'timeout', seconds: 120 }]);
  });

  it('refuses what Tirea does not have, or would read as something else, all at once with its place', () => {
    const conditions = [
      maxIterations(3),
      timeout({ run: 500 }),
      timeout({ model: '5s' }),
      loopDetection(),
      costBudget({ usd: 1 }),
      stopCondition('own', () => undefined),
    ];
    for (const condition of conditions) expect(() => formatTireaStopConditions([condition])).toThrow('no counterpart');
    expect(() => formatTireaStopConditions([maxIterations(3), loopDetection()])).toThrow(/\[0\].*\[1\]/);
  });
});
