import type { StopCondition } from 'fullstop';
import { milliseconds } from '../command-line/read-duration.js';
import { suggestion } from '../command-line/suggestion.js';
import { UsageError } from '../command-line/usage-error.js';
import { conditionOf, type LimitName, limitOptions } from './limit-options.js';
import type { RecordedRun } from './recorded-run.js';
import { type TrialTotals, totalsOf, tryLimits } from './try-limits.js';

export interface Sweep {
  readonly name: LimitName;
  readonly values: readonly number[];
}

export interface SweepPoint extends TrialTotals {
  readonly value: number;
}

const mostValues = 200;
const usualPoints = 50;

/** Reads `max-iterations=5..50`, with a step after a slash where one is wanted: `tokens=1000..50000/1000`. */
export function readSweep(text: string): Sweep {
  const found = /^([\w-]+)=([\w.]+?)\.\.([\w.]+?)(?:\/([\w.]+))?$/.exec(text);
  if (found === null)
    throw new UsageError(
      `--sweep needs a limit and a range, such as max-iterations=5..50, not ${JSON.stringify(text)}.`,
    );
  const [, name = '', from = '', to = '', by] = found;
  const known = Object.keys(limitOptions).filter((limit) => limit !== 'stop-on-tool');
  if (!known.includes(name))
    throw new UsageError(
      `${JSON.stringify(name)} is not a limit that can be swept${suggestion(name, known)}; these are: ${known.join(', ')}.`,
    );
  const [first, last] = [amount(name, from), amount(name, to)];
  const step = by === undefined ? usualStep(name as LimitName, first, last) : amount(name, by);
  if (!(first > 0 && last >= first && step > 0))
    throw new UsageError(`--sweep ${text} has no values: the first must be above 0 and not above the last.`);
  const count = Math.floor((last - first) / step + 1e-9) + 1;
  if (count > mostValues)
    throw new UsageError(
      `--sweep ${text} has ${count} values; at most ${mostValues} can be shown. Use a larger step: ${name}=${from}..${to}/STEP`,
    );
  return {
    name: name as LimitName,
    values: Array.from({ length: count }, (_, index) => Number((first + index * step).toPrecision(12))),
  };
}

function amount(name: string, text: string): number {
  const value = name === 'timeout' ? (milliseconds(text) ?? Number(text) * 1000) : Number(text);
  if (!Number.isFinite(value)) throw new UsageError(`--sweep: ${JSON.stringify(text)} is not a number.`);
  return value;
}

/** Whole numbers for what is counted, round parts of the range for what is measured. */
function usualStep(name: LimitName, first: number, last: number): number {
  const raw = (last - first) / (usualPoints - 1);
  if (raw === 0) return 1;
  const isMeasured = name === 'cost' || name === 'timeout';
  if (!isMeasured && raw <= 1) return 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((round) => round >= raw) ?? raw;
  return isMeasured ? step : Math.max(1, Math.round(step));
}

/** Tries every value on every run; `others` hold in each case. */
export function sweepLimits(
  runs: readonly RecordedRun[],
  { name, values }: Sweep,
  others: readonly StopCondition<string>[],
): readonly SweepPoint[] {
  return values.map((value) => {
    const conditions = [...others, conditionOf(name, value)];
    return {
      value,
      ...totalsOf(
        runs,
        runs.map((run) => tryLimits(run, conditions)),
      ),
    };
  });
}

/** How many results may be lost by the point that is recommended. */
const toleratedLoss = 0.02;

/** The point that saves most among those that keep nearly all results; undefined when none saves anything. */
export function bestPoint(points: readonly SweepPoint[]): SweepPoint | undefined {
  const worth = ({ saved }: SweepPoint): number => saved.costUsd || saved.tokens / 1e6 || saved.ms / 1e9;
  return points
    .filter((point) => point.kept >= point.results * (1 - toleratedLoss) && worth(point) > 0)
    .sort((left, right) => worth(right) - worth(left))[0];
}
