import { describe, expect, it } from 'vitest';
import { makeStyle } from '../terminal/style.js';
import { statsText } from './stats-text.js';

describe('statsText', () => {
  it('is a table with bars', () => {
    const used = { kind: 'terminated', tokens: 15, durationMs: 300 };
    const stats = {
      runs: 3,
      unfinished: 0,
      from: 0,
      to: 200,
      names: [],
      kinds: [
        { ...used, category: 'success', count: 2, costUsd: 1, unpriced: 0, estimated: 0, over: [1, 1, 0, 0] },
        { ...used, category: 'fatal', count: 1, costUsd: 0, unpriced: 1, estimated: 0, over: [0, 0, 0, 1] },
      ],
    } as const;
    const text = statsText(stats, makeStyle(false), 120);
    expect(text).toContain('3 runs, $1.00+?, started');
    expect(text).toMatch(/✓ {2}terminated +2 {2}█{20} /);
    expect(text).toMatch(/✓ {2}terminated +2 .* \$1\.00 +\$0\.50 /);
    // Of one without a price neither the sum nor the mean is known.
    expect(text).toMatch(/✗ {2}terminated +1 {2}█{10} .* \? +\? +15 /);
  });

  it('marks a cost that was guessed for some', () => {
    const kind = {
      kind: 'natural_end',
      category: 'success',
      count: 2,
      costUsd: 1,
      tokens: 15,
      durationMs: 300,
    } as const;
    const stats = (estimated: number, unpriced: number) =>
      statsText(
        { runs: 2, unfinished: 0, from: 0, to: 0, names: [], kinds: [{ ...kind, unpriced, estimated, over: [2] }] },
        makeStyle(false),
        120,
      );
    expect(stats(1, 0)).toContain('2 runs, ~$1.00, started');
    expect(stats(1, 0)).toMatch(/natural_end +2 .* ~\$1\.00 +~\$0\.50 /);
    expect(stats(1, 1)).toContain('2 runs, ~$1.00+?, started');
    expect(stats(1, 1)).toMatch(/natural_end +2 .* ~\$1\.00\+\? +\? /);
    expect(stats(0, 0)).not.toContain('~');
  });
});
