import type { EndingScore } from './endings.js';
import type { FieldRow } from './measure-field.js';

/** Everything that one run of the field has found: `bench/results/field.json`. */
export interface FieldResults {
  readonly date: string;
  readonly command: string;
  readonly node: string;
  readonly machine: string;
  /** The load of the machine over a minute before and after, and its processors: figures of a busy machine are not those of a quiet one. */
  readonly load: readonly [before: number, after: number];
  readonly processors: number;
  readonly rounds: number;
  /** The steps before those that are timed, where another circumstance is looked at. */
  readonly lukewarm: number;
  readonly warmth: readonly FieldRow[];
  readonly growth: readonly FieldRow[];
  readonly streams: readonly FieldRow[];
  readonly endings: readonly EndingScore[];
}

/** The time of a row as a multiple of the row of fullstop under the same circumstances. */
export function ratioToOwn(rows: readonly FieldRow[], row: FieldRow): number | undefined {
  const own = rows.find(
    ({ id, size, warmUp }) => /^fullstop(-stream)?$/.test(id) && size === row.size && warmUp === row.warmUp,
  );
  if (own === undefined || 'none' in own.cell || 'none' in row.cell) return undefined;
  return row.cell.processor / own.cell.processor;
}

/** A ratio that got worse for fullstop by more than noise explains. */
export interface WorseRatio {
  readonly row: string;
  readonly committed: number;
  readonly now: number;
}

/** Compares ratios within each run; absolute times of two runs say nothing about each other. */
export function findWorse(committed: FieldResults, now: FieldResults, tolerance: number): readonly WorseRatio[] {
  const worse: WorseRatio[] = [];
  for (const part of ['warmth', 'growth', 'streams'] as const) {
    for (const row of now[part]) {
      const before = committed[part].find(
        ({ id, size, warmUp }) => id === row.id && size === row.size && warmUp === row.warmUp,
      );
      const ratio = ratioToOwn(now[part], row);
      const ratioBefore = before && ratioToOwn(committed[part], before);
      if (ratio === undefined || ratioBefore === undefined) continue;
      // A peer that is now fewer times slower than we are.
      if (ratio * tolerance < ratioBefore)
        worse.push({ row: `${row.name}, ${row.size} steps after ${row.warmUp}`, committed: ratioBefore, now: ratio });
    }
  }
  return worse;
}
