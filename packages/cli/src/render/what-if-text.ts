import { counted, dollars, duration, grouped, percent } from '../journal/number-text.js';
import type { Style } from '../terminal/style.js';
import { table } from '../terminal/table.js';
import { wrapped } from '../terminal/wrap.js';
import type { LimitName } from '../what-if/limit-options.js';
import type { Sweep, SweepPoint } from '../what-if/sweep.js';
import { bestPoint } from '../what-if/sweep.js';
import { savedMoney, savings, totalsText } from '../what-if/totals-text.js';
import type { Trial, TrialTotals } from '../what-if/try-limits.js';

/** One line for each run where it fits, and the totals. */
export function whatIfText(
  trials: readonly Trial[],
  totals: TrialTotals,
  { style, columns = Number.POSITIVE_INFINITY }: { readonly style: Style; readonly columns?: number },
): string {
  const lines = trials.flatMap((trial) =>
    wrapped(`${style.bold(trial.runId)}  ${trialText(trial, style)}`, columns - 4).map(
      (line, index) => (index === 0 ? '  ' : '    ') + line,
    ),
  );
  return `${[...lines, ...wrapped(totalsText(totals), columns).map((line) => style.bold(line))].join('\n')}\n`;
}

const unitNames = { iterations: 'iteration', cycles: 'cycle', steps: 'step' } as const;

export function trialText(trial: Trial, style: Style): string {
  switch (trial.status) {
    case 'cut': {
      const { at, termination, saved, loses, counts } = trial;
      const unit = unitNames[counts];
      const lost = loses ? style.red(' and would have lost its result') : '';
      return `would have ended at ${unit} ${at.iterations} (${termination.kind}), saving ${savings(saved)}${lost}`;
    }
    case 'beyond':
      return `would have continued: the record ends at its own ${trial.was}, before the new limit`;
    case 'same':
      return style.dim(
        trial.was === undefined
          ? 'no change so far; it has not ended'
          : `no change: ends as ${trial.was} before the new limit`,
      );
    case 'unknown':
      return style.dim('nothing was observed in it, so nothing can be said');
    default:
      return trial satisfies never;
  }
}

/** The part of what was spent that a point would have saved: of the money where it is known, else of tokens or time. */
export function savedShare({ saved, spent }: TrialTotals): number {
  if (spent.costUsd > 0 && spent.unpriced !== true) return saved.costUsd / spent.costUsd;
  if (spent.tokens > 0) return saved.tokens / spent.tokens;
  return spent.ms > 0 ? saved.ms / spent.ms : 0;
}

export function keptShare({ kept, results }: TrialTotals): number {
  return results === 0 ? 1 : kept / results;
}

const barWidth = 24;

/** The trade-off between what is saved and what is kept, as a table with bars. */
export function sweepText({ name }: Sweep, points: readonly SweepPoint[], style: Style, columns: number): string {
  const best = bestPoint(points);
  const mark = style.glyphs ? '▸ ' : '> ';
  const fill = (ratio: number): string => (style.glyphs ? '█' : '#').repeat(Math.round(ratio * barWidth));
  const lines = table({
    width: columns,
    title: (text) => style.dim(text),
    columns: [
      { title: name.toUpperCase(), align: 'right' },
      { title: 'KEPT', align: 'right' },
      { title: '', yields: 1, least: 6 },
      { title: 'SAVED', align: 'right' },
      { title: '', yields: 2, least: 6 },
      { title: 'COST', align: 'right', yields: 3, least: 8 },
    ],
    rows: points.map((point) => [
      (point === best ? mark : '') + limitText(name, point.value),
      point.results === 0 ? '-' : `${point.kept}/${point.results}`,
      style.green(fill(keptShare(point))),
      percent(savedShare(point)),
      style.yellow(fill(savedShare(point))),
      savedMoney(point.saved) || dollars(0),
    ]),
  });
  return `${[...lines, style.bold(recommendation(name, best, points))].join('\n')}\n`;
}

function recommendation(name: LimitName, best: SweepPoint | undefined, points: readonly SweepPoint[]): string {
  const runs = points[0]?.runs ?? 0;
  if (best === undefined)
    return `No value of ${name} would have saved anything without losing results (${counted(runs, 'run')}).`;
  const cost = savedMoney(best.saved);
  const money = cost === '' ? '' : ` (${cost})`;
  const kept = best.results === 0 ? 'lost no result' : `kept ${best.kept} of ${best.results} results`;
  return `${name} ${limitText(name, best.value)} would have ${kept} and saved ${percent(savedShare(best))}${money} over ${counted(runs, 'run')}`;
}

export function limitText(name: LimitName, value: number): string {
  if (name === 'timeout') return duration(value);
  return name === 'cost' ? dollars(value) : grouped(value);
}
