import type { EndingScore } from './endings.js';
import type { Measured } from './machine.js';
import type { FieldRow } from './measure-field.js';

/** Everything that one run of the field has found: `bench/results/field.json`. */
export interface FieldResults extends Measured {
  readonly rounds: number;
  /** The steps before those that are timed, where another circumstance is looked at. */
  readonly lukewarm: number;
  readonly warmth: readonly FieldRow[];
  readonly growth: readonly FieldRow[];
  readonly streams: readonly FieldRow[];
  readonly endings: readonly EndingScore[];
}

/** Steps one after the other: `bench/results/steps.json`. */
export interface StepResults extends Measured {
  readonly rounds: number;
  readonly rows: readonly FieldRow[];
}

const own = /^fullstop(-stream|-workflow)?$/;

/** The time of a row as a multiple of the row of fullstop under the same circumstances. */
export function ratioToOwn(rows: readonly FieldRow[], row: FieldRow): number | undefined {
  const base = rows.find(({ id, size, warmUp }) => own.test(id) && size === row.size && warmUp === row.warmUp);
  if (base === undefined || 'none' in base.cell || 'none' in row.cell) return undefined;
  return row.cell.processor / base.cell.processor;
}

/** A ratio that got worse for fullstop by more than noise explains. */
export interface WorseRatio {
  readonly row: string;
  readonly committed: number;
  readonly now: number;
}

export interface Comparison {
  /** Ratios that are in both. */
  readonly compared: number;
  readonly worse: readonly WorseRatio[];
}

/** Compares ratios within each run; absolute times of two runs say nothing about each other. */
export function findWorse(committed: readonly FieldRow[], now: readonly FieldRow[], tolerance: number): Comparison {
  const worse: WorseRatio[] = [];
  let compared = 0;
  for (const row of now) {
    if (row.id.startsWith('fullstop') || row.id.startsWith('bare')) continue;
    const before = committed.find(
      ({ id, size, warmUp }) => id === row.id && size === row.size && warmUp === row.warmUp,
    );
    const ratio = ratioToOwn(now, row);
    const ratioBefore = before && ratioToOwn(committed, before);
    if (ratio === undefined || ratioBefore === undefined) continue;
    compared += 1;
    // A peer that is now fewer times slower than we are.
    if (ratio * tolerance < ratioBefore)
      worse.push({ row: `${row.name}, ${row.size} steps after ${row.warmUp}`, committed: ratioBefore, now: ratio });
  }
  return { compared, worse };
}
