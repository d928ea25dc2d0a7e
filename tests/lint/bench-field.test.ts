import { expect, test } from 'vitest';
import { scoreEndings } from '../../bench/field/endings.js';
import { cellOf, type FieldRow } from '../../bench/field/measure-field.js';
import { findWorse } from '../../bench/field/results.js';
import { adapterColumns } from '../adapters/columns.js';

const figures = (processor: number) => ({
  wall: processor,
  best: processor,
  worst: processor,
  processor,
  peakMb: 60,
  importMs: 20,
});

function rowsWith(own: number, peer: number, size = 200): readonly FieldRow[] {
  const row = (id: string, processor: number): FieldRow => ({
    id,
    name: id,
    size,
    warmUp: 10,
    cell: figures(processor),
  });
  return [row('fullstop', own), row('peer', peer)];
}

test('a ratio is worse when a peer is fewer times slower than before, whatever the times are', () => {
  const committed = rowsWith(10, 100);
  expect(findWorse(committed, rowsWith(30, 300), 1.5)).toEqual({ compared: 1, worse: [] });
  expect(findWorse(committed, rowsWith(14, 100), 1.5)).toEqual({ compared: 1, worse: [] });
  expect(findWorse(committed, rowsWith(20, 100), 1.5)).toEqual({
    compared: 1,
    worse: [{ row: 'peer, 200 steps after 10', committed: 10, now: 5 }],
  });
});

test('rows of other sizes are not compared, and the number of those that were says so', () => {
  expect(findWorse(rowsWith(10, 100, 800), rowsWith(20, 100), 1.5)).toEqual({ compared: 0, worse: [] });
});

test('a contender that fails, is too slow or is not installed has no figures', () => {
  const good = { importMs: 1, peakMb: 50, timed: [{ wall: 2, processor: 1 }] };
  expect(cellOf([good, { failed: 'no tool' }], undefined)).toEqual({ none: 'failed: no tool' });
  expect(cellOf([{ tooSlow: true }], undefined)).toEqual({ none: 'more than 60 s for the warm-up' });
  expect(cellOf([{ leftOut: 41.6 }], undefined)).toEqual({ none: 'about 42 s; with --long' });
  expect(cellOf([], 'not installed')).toEqual({ none: 'not installed' });
});

test('figures are medians over all processes, with the highest memory', () => {
  const report = (peakMb: number, ...walls: number[]) => ({
    importMs: 5,
    peakMb,
    timed: walls.map((wall) => ({ wall, processor: wall * 2 })),
  });
  expect(cellOf([report(50, 1, 9), report(70, 3)], undefined)).toEqual({
    wall: 3,
    best: 1,
    worst: 9,
    processor: 6,
    peakMb: 70,
    importMs: 5,
  });
});

test.each(adapterColumns)('$title says the same for several kinds of endings', (column) => {
  const { situations, words, kinds, ambiguous } = scoreEndings(column);
  expect(situations).toBeGreaterThan(15);
  expect(words).toBeLessThanOrEqual(situations);
  expect(kinds).toBeGreaterThan(10);
  expect(ambiguous).toBeGreaterThan(0);
});
