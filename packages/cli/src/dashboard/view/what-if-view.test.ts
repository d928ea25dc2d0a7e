import { describe, expect, it } from 'vitest';
import { conditionOf } from '../../what-if/limit-options.js';
import { recordedRun } from '../../what-if/recorded-run.js';
import { tryLimits } from '../../what-if/try-limits.js';
import { countingRecord, loopRecord } from '../../why/records.fixture.js';
import { whatIfView } from './what-if-view.js';

describe('whatIfView', () => {
  it('has the ending for each value, the same as what-if tells', async () => {
    const record = await loopRecord();
    const { limits } = whatIfView(record);
    const tokens = limits.find(({ name }) => name === 'tokens');
    const run = recordedRun('r_loop', 'searcher', record.journal, record.ending);
    for (const { value, status, kind } of tokens?.points ?? []) {
      const trial = tryLimits(run, [conditionOf('tokens', value)]);
      expect([status, kind]).toEqual([trial.status, trial.status === 'cut' ? trial.termination.kind : undefined]);
    }
    expect(tokens?.points[0]).toMatchObject({ status: 'cut', kind: 'token_budget', index: expect.any(Number) });
    expect(tokens?.points.at(-1)).toMatchObject({ status: 'same' });
  });

  it('orders limits by the observation that they cut at, so that of several the first ends the run', async () => {
    const record = await loopRecord();
    const { limits } = whatIfView(record);
    const run = recordedRun('r_loop', 'searcher', record.journal, record.ending);
    const point = (name: string, value: number) =>
      limits.find((limit) => limit.name === name)?.points.find((each) => each.value === value);
    const [few, calls] = [point('max-iterations', 3), point('max-tool-calls', 2)];
    const both = tryLimits(run, [conditionOf('max-iterations', 3), conditionOf('max-tool-calls', 2)]);
    const first = (few?.index ?? 0) < (calls?.index ?? 0) ? few : calls;
    expect(both).toMatchObject({ status: 'cut', termination: { kind: first?.kind } });
  });

  it('offers a convergence its cycles and facts', async () => {
    const names = whatIfView(await countingRecord()).limits.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['max-cycles', 'max-facts', 'tokens', 'cost']));
    expect(names).not.toContain('max-iterations');
  });
});
