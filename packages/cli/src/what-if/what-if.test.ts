import fc from 'fast-check';
import { maxIterations, tokenBudget } from 'fullstop';
import { describe, expect, it } from 'vitest';
import { sweepSvg } from '../render/sweep-svg.js';
import { sweepText, whatIfText } from '../render/what-if-text.js';
import { makeStyle } from '../terminal/style.js';
import { childRecord, countingRecord, limitRecord, loopRecord } from '../why/records.fixture.js';
import { maxCycles, maxFacts } from './cycle-limits.js';
import { conditionOf, conditionsOf, limitOptions, refuseSteering } from './limit-options.js';
import { type RecordedRun, recordedRun } from './recorded-run.js';
import { bestPoint, readSweep, sweepLimits } from './sweep.js';
import { totalsOf, tryLimits } from './try-limits.js';

async function recorded(make: () => ReturnType<typeof limitRecord>): Promise<RecordedRun> {
  const { summary, journal, ending } = await make();
  return recordedRun(summary.runId, summary.name, journal, ending);
}

describe('tryLimits', () => {
  it('says where a tighter limit would have ended a run, and what that would have saved', async () => {
    const run = await recorded(() => limitRecord(8));
    expect(tryLimits(run, [maxIterations(3)])).toMatchObject({
      status: 'cut',
      termination: { kind: 'max_iterations', limit: 3, used: 3 },
      at: { iterations: 3 },
      saved: { tokens: 5 * 940, iterations: 5 },
      loses: false,
    });
  });

  it('says that a run would have continued where its record ends before the new limit', async () => {
    const run = await recorded(() => limitRecord(4));
    expect(tryLimits(run, [maxIterations(10)])).toEqual({ status: 'beyond', runId: 'r_limit', was: 'max_iterations' });
  });

  it('leaves a run alone that ended otherwise before the new limit', async () => {
    const run = await recorded(loopRecord);
    expect(tryLimits(run, [maxIterations(10)])).toEqual({ status: 'same', runId: 'r_loop', was: 'loop_detected' });
  });

  it('tries budgets on runs that are no agents, by what their entries say', async () => {
    const run = await recorded(childRecord);
    expect(run.counts).toBe('steps');
    expect(tryLimits(run, [tokenBudget({ total: 1000 })])).toMatchObject({
      status: 'cut',
      termination: { kind: 'token_budget', limit: 1000, used: 1880 },
      saved: { tokens: 940 },
    });
  });

  it('marks what a run would have saved where its usage was guessed', async () => {
    const run = await recorded(countingRecord);
    const guessed = { ...run, observations: run.observations.map((each) => ({ ...each, estimated: true })) };
    const textOf = (each: RecordedRun): string => {
      const trials = [tryLimits(each, [tokenBudget({ total: 300 })])];
      return whatIfText(trials, totalsOf([each], trials), { style: makeStyle(false) });
    };
    expect(textOf(guessed).match(/~\$0\.03/g)).toHaveLength(2);
    expect(textOf(run).match(/(?<!~)\$0\.03/g)).toHaveLength(2);
  });

  it('never saves less with a tighter limit', async () => {
    const run = await recorded(() => limitRecord(12));
    const savedBy = (limit: number): number => {
      const trial = tryLimits(run, [maxIterations(limit)]);
      return trial.status === 'cut' ? trial.saved.tokens : 0;
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), (one, other) => {
        const [tight, loose] = [Math.min(one, other), Math.max(one, other)];
        expect(savedBy(tight)).toBeGreaterThanOrEqual(savedBy(loose));
      }),
    );
  });
});

describe('tryLimits on a convergence', () => {
  it('cuts by cycles where it would have begun another, and says what that would have saved', async () => {
    const run = await recorded(countingRecord);
    expect(run.counts).toBe('cycles');
    const trial = tryLimits(run, [maxCycles(2)]);
    expect(trial).toMatchObject({
      status: 'cut',
      termination: { kind: 'cycle_budget', limit: 2, used: 2 },
      saved: { iterations: 4, tokens: 400, costUsd: expect.closeTo(0.04) },
      loses: true,
    });
    const text = whatIfText([trial], totalsOf([run], [trial]), { style: makeStyle(false) });
    expect(text).toContain('would have ended at cycle 2 (cycle_budget), saving 400 tokens, $0.04');
  });

  it('leaves the goal alone that is reached at the end of the last cycle', async () => {
    const run = await recorded(countingRecord);
    const same = { status: 'same', runId: 'r_count', was: 'converged' };
    expect(tryLimits(run, [maxCycles(6)])).toEqual(same);
    expect(tryLimits(run, [tokenBudget({ total: 600 })])).toEqual(same);
    expect(tryLimits(run, [tokenBudget({ total: 500 })])).toMatchObject({
      termination: { kind: 'token_budget', used: 500 },
      at: { iterations: 5 },
    });
  });

  it('cuts by facts with the first that has no room, also at the end', async () => {
    const run = await recorded(countingRecord);
    expect(tryLimits(run, [maxFacts(3)])).toMatchObject({
      termination: { kind: 'fact_budget', limit: 3, used: 3 },
      at: { iterations: 3 },
    });
    expect(tryLimits(run, [maxFacts(6)])).toMatchObject({ status: 'cut', at: { iterations: 6 }, loses: true });
    expect(tryLimits(run, [maxFacts(7)])).toMatchObject({ status: 'same' });
  });

  it.each([
    ['cycles', { cycles: 4 }, maxCycles],
    ['facts', { facts: 4 }, maxFacts],
  ] as const)('comes to the ending that the run really has with that budget of %s', async (_, budgets, limit) => {
    const { ending } = await countingRecord({ budgets });
    const trial = tryLimits(await recorded(countingRecord), [limit(4)]);
    expect(trial).toMatchObject({ status: 'cut', termination: ending?.termination });
    const own = await recorded(() => countingRecord({ budgets }));
    expect(tryLimits(own, [limit(9)])).toMatchObject({ status: 'beyond' });
  });

  it('weighs nothing while people had to decide', async () => {
    const run = await recorded(() => countingRecord({ gated: true }));
    expect(run.observations.map(({ iterations }) => iterations)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(tryLimits(run, [maxCycles(3)])).toMatchObject({ termination: { kind: 'cycle_budget', used: 3 } });
  });

  it('refuses a limit of 0', () => {
    expect(() => maxCycles(0)).toThrow('it must be a whole number above 0');
  });
});

describe('options', () => {
  it('make the conditions that they name', () => {
    const conditions = conditionsOf({ 'max-iterations': 3, cost: 0.5, timeout: '90s', 'loop-repeats': 3 });
    expect(conditions.map((condition) => condition.toJSON())).toEqual([
      { type: 'maxIterations', limit: 3 },
      { type: 'costBudget', usd: 0.5 },
      { type: 'timeout', run: 90_000 },
      expect.objectContaining({ type: 'loopDetection', repeats: 3 }),
    ]);
  });

  it('all make a condition', () => {
    for (const name of Object.keys(limitOptions) as (keyof typeof limitOptions)[])
      expect(conditionOf(name, name === 'timeout' ? '5s' : 5).kinds.length).toBeGreaterThan(0);
  });

  it('are refused by name where the model would have seen something else', () => {
    const none = {
      model: undefined,
      prompt: undefined,
      guidance: undefined,
      temperature: undefined,
      'tool-timeout': undefined,
      'model-timeout': undefined,
      'budget-pressure': undefined,
    };
    expect(() => refuseSteering({ ...none, temperature: 0 })).toThrow(
      '--temperature cannot be tried on recorded runs: the model would have answered differently.',
    );
    expect(() => refuseSteering(none)).not.toThrow();
  });
});

describe('a sweep', () => {
  it('reads a range, with a step where one is given', () => {
    expect(readSweep('max-iterations=5..8')).toEqual({ name: 'max-iterations', values: [5, 6, 7, 8] });
    expect(readSweep('tokens=1000..3000/1000').values).toEqual([1000, 2000, 3000]);
    expect(readSweep('timeout=1s..3s/1s').values).toEqual([1000, 2000, 3000]);
    expect(readSweep('cost=0.1..0.5').values).toHaveLength(41);
  });

  it.each([
    ['max-iterations', '--sweep needs a limit and a range'],
    ['max-iteration=1..5', 'is not a limit that can be swept (did you mean "max-iterations"?)'],
    ['max-iterations=0..5', 'has no values'],
    ['max-iterations=9..5', 'has no values'],
    ['tokens=1..100000/1', 'at most 200'],
  ])('refuses %s', (text, message) => {
    expect(() => readSweep(text)).toThrow(message);
  });

  it('finds the value that saves most and keeps the results', async () => {
    const runs = [await recorded(() => limitRecord(12)), await recorded(loopRecord)];
    const sweep = readSweep('max-iterations=1..14');
    const points = sweepLimits(runs, sweep, []);
    expect(bestPoint(points)?.value).toBe(1);
    expect(points.at(-1)).toMatchObject({ value: 14, cut: 0, saved: { tokens: 0 } });
    expect(sweepText(sweep, points, makeStyle(false), 100)).toContain(
      'max-iterations 1 would have lost no result and saved',
    );
    const svg = sweepSvg(sweep, points);
    expect(svg.match(/<polyline/g)).toHaveLength(2);
    expect(svg).not.toContain('NaN');
  });
});

describe('whatIfText', () => {
  it('has a line for each run and one for all', async () => {
    const runs = [await recorded(() => limitRecord(8)), await recorded(loopRecord)];
    const trials = runs.map((run) => tryLimits(run, [maxIterations(3)]));
    const lines = whatIfText(trials, totalsOf(runs, trials), { style: makeStyle(false) })
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(
      'r_limit  would have ended at iteration 3 (max_iterations), saving 4,700 tokens, $0.0049',
    );
    expect(lines[2]).toContain('2 runs of 2 would have ended earlier');
  });
});
