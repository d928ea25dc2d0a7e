import type { RunTally } from 'fullstop/engines/sqlite';
import { addUsd } from 'fullstop/journal';
import { counted, dollars } from '../journal/number-text.js';
import { localTime, shortCost, shortCount, shortDuration, spentCost } from '../journal/value-text.js';
import type { Style } from '../terminal/style.js';
import { table } from '../terminal/table.js';
import { wrapped } from '../terminal/wrap.js';
import { paint, signOf } from './ending-look.js';

const longestBar = 20;

/** Where runs stop and what that costs: a bar for each kind of ending, and how it went over time. */
export function statsText(stats: RunTally, style: Style, columns: number): string {
  const { runs, unfinished, from, to, kinds } = stats;
  const most = Math.max(1, ...kinds.map(({ count }) => count));
  const room = Math.max(4, Math.min(longestBar, columns - 90));
  const lines = table({
    width: columns,
    title: (text) => style.dim(text),
    columns: [
      { title: '' },
      { title: 'ENDING', least: 12 },
      { title: 'RUNS', align: 'right' },
      { title: '', yields: 3, least: 4 },
      { title: 'OVER TIME', yields: 4, least: 8 },
      { title: 'COST', align: 'right' },
      { title: 'EACH', align: 'right', yields: 2, least: 6 },
      { title: 'TOKENS', align: 'right', yields: 5, least: 6 },
      { title: 'TIME EACH', align: 'right', yields: 6, least: 6 },
    ],
    rows: kinds.map(({ kind, category, count, costUsd, unpriced, estimated, tokens, durationMs, over }) => [
      signOf(category, style),
      kind,
      String(count),
      paint(category, bar(count / most, room, style), style),
      sparkline(over, style),
      spentCost({ costUsd, estimated: estimated > 0, unpriced: unpriced > 0 }) || '$0',
      // What is not known of some is not known of their mean.
      unpriced > 0 ? '?' : shortCost(costUsd / count, estimated > 0),
      tokens === 0 ? '' : shortCount(tokens),
      shortDuration(durationMs / count),
    ]),
  });
  const total = kinds.reduce((sum, { costUsd }) => addUsd(sum, costUsd), 0);
  const isPriced = kinds.every(({ unpriced }) => unpriced === 0);
  const known = dollars(total, total > 0 && kinds.some(({ estimated }) => estimated > 0));
  const cost = isPriced ? known : `${total > 0 ? `${known}+` : ''}?`;
  const open = unfinished === 0 ? '' : `, ${unfinished} without an ending yet`;
  const head = `${counted(runs, 'run')}${open}, ${cost}, started ${localTime(from)} to ${localTime(to)}`;
  return `${[...wrapped(head, columns).map((line) => style.bold(line)), ...lines].join('\n')}\n`;
}

function bar(ratio: number, room: number, style: Style): string {
  return (style.glyphs ? '█' : '#').repeat(Math.max(1, Math.round(ratio * room)));
}

function sparkline(counts: readonly number[], style: Style): string {
  const signs = style.glyphs ? ' ▁▂▃▄▅▆▇█' : ' .:-=+*#@';
  const most = Math.max(1, ...counts);
  return counts
    .map((count) => signs[count === 0 ? 0 : Math.max(1, Math.round((count / most) * (signs.length - 1)))] ?? ' ')
    .join('');
}
