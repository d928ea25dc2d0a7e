import type { RunSummary } from 'fullstop/engine';
import { localTime, relativeTime, shortCost, shortCount, shortDuration } from '../journal/value-text.js';
import { oneLine } from '../terminal/foreign-text.js';
import type { Style } from '../terminal/style.js';
import { table } from '../terminal/table.js';
import { paint, signOf } from './ending-look.js';

export interface RunsLook {
  readonly style: Style;
  readonly columns: number;
  readonly now: number;
}

export interface ListedRun {
  readonly run: RunSummary;
  readonly depth: number;
}

/** Runs as a table; where the terminal is narrow, summary, cost and time shrink first. */
export function runsTable(runs: readonly ListedRun[], { style, columns, now }: RunsLook): string {
  const lines = table({
    width: columns,
    title: (text) => style.dim(text),
    columns: [
      { title: '' },
      { title: 'RUN' },
      { title: 'NAME', yields: 2, least: 12 },
      { title: 'ENDING' },
      { title: 'STARTED', align: 'right', yields: 3, least: 10 },
      { title: 'TIME', align: 'right', yields: 5, least: 6 },
      { title: 'TOKENS', align: 'right', yields: 6, least: 6 },
      { title: 'COST', align: 'right', yields: 4, least: 8 },
      { title: 'SUMMARY', yields: 7, least: 24 },
    ],
    rows: runs.map(({ run, depth }) => row(run, depth, style, now)),
  });
  return `${lines.join('\n')}\n`;
}

function row(run: RunSummary, depth: number, style: Style, now: number): readonly string[] {
  const { runId, name, startedAt, durationMs, usage, costUsd, estimated, summary, damage } = run;
  const branch = depth === 0 ? '' : `${'  '.repeat(depth - 1)}${style.glyphs ? '└ ' : '` '}`;
  return [
    signOf(damage === undefined ? run.category : 'fatal', style),
    branch + oneLine(runId),
    oneLine(name),
    endingOf(run, style),
    relativeTime(startedAt, now),
    durationMs === undefined ? '' : shortDuration(durationMs),
    usage === undefined || usage.totalTokens === 0 ? '' : shortCount(usage.totalTokens),
    costUsd === 0 ? '' : shortCost(costUsd, estimated),
    oneLine(damage?.reason ?? summary ?? ownerText(run)),
  ];
}

/** The facts about an owner that does not seem to execute its run. */
function ownerText({ orphaned, silentSince }: RunSummary): string {
  if (orphaned === true) return 'its owner is gone';
  return silentSince === undefined ? '' : `no sign of life since ${localTime(silentSince)}`;
}

/** A run that cannot be trusted shows no ending, whatever is stored of one. */
function endingOf({ damage, kind, category, state, orphaned }: RunSummary, style: Style): string {
  if (damage !== undefined) return style.red('damaged');
  if (orphaned === true) return style.yellow('orphaned');
  return kind === undefined ? style.cyan(state) : paint(category, kind, style);
}
