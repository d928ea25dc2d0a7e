import { dollars, duration, grouped } from '../journal/number-text.js';
import { oneLine } from '../terminal/foreign-text.js';
import type { ExplainedUnit, Explanation } from '../why/explanation.js';
import { forkText } from './fork-text.js';

/** An explanation as Markdown, for a job summary or a ticket. */
export function whyMarkdown(explanation: Explanation): string {
  const { headline, name, runId, ending, because, counters, waiting, also, did, tree, lastOutput, next } = explanation;
  const state = explanation.damage === undefined ? explanation.state : 'damaged';
  const facts =
    ending === undefined ? state : `\`${ending.tag}\` · ${ending.category} · ${ending.open ? 'open' : 'final'}`;
  const origin = forkText(explanation);
  const place = [facts, `**${escaped(name)}**`, `\`${runId}\``, ...(origin === undefined ? [] : [escaped(origin)])];
  const lines = [
    `### ${signs[explanation.damage === undefined ? (ending?.category ?? 'none') : 'fatal']} ${escaped(headline)}`,
    '',
    [...place, spent(explanation)].join(' · '),
  ];
  const list = (title: string, items: readonly string[]): void => {
    if (items.length > 0) lines.push('', `**${title}**`, '', ...items.map((item) => `- ${item}`));
  };
  list('Because', because.map(escaped));
  if (counters.length > 0)
    lines.push(
      '',
      '| counter | used | limit |',
      '|---|---:|---:|',
      ...counters.map((counter) => `| ${counter.name} | ${counter.used} | ${counter.limit ?? ''} |`),
    );
  list(
    'Waits for',
    waiting.map(({ id, question }) => `\`${id}\`: ${escaped(question)}`),
  );
  list('Decided', explanation.decided.map(escaped));
  list('Also', also.map(escaped));
  if (did.length > 0) lines.push('', `**Did** ${did.map(escaped).join(' → ')}`);
  if (explanation.prepared !== undefined)
    lines.push('', '**Prepared**', ...explanation.prepared.map((line) => `- ${escaped(line)}`));
  if (tree !== undefined) lines.push('', ...treeItems(tree.children, ''));
  if (lastOutput !== undefined)
    lines.push(
      '',
      `<details><summary>Last output (${escaped(lastOutput.from)})</summary>`,
      '',
      fenced(JSON.stringify(lastOutput.value, null, 2)),
      '</details>',
    );
  list(
    'Next',
    next.map(({ text, command }) => `${escaped(text)}${command === undefined ? '' : `: \`${command}\``}`),
  );
  return `${lines.join('\n')}\n`;
}

const signs = {
  success: '✅',
  paused: '⏸️',
  cancelled: '🚫',
  capacity: '🔶',
  retryable: '🔁',
  fatal: '❌',
  none: '⏳',
} as const;

function treeItems(units: readonly ExplainedUnit[], indent: string): readonly string[] {
  return units.flatMap(({ name, kind, isCause, summary, children }) => [
    `${indent}- ${isCause ? `**${escaped(name)}**` : escaped(name)} \`${kind ?? 'under way'}\`${isCause && summary !== undefined ? ` ${escaped(summary)}` : ''}`,
    ...treeItems(children, `${indent}  `),
  ]);
}

function spent({ durationMs, usage, costUsd, estimated }: Explanation): string {
  return [
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
    ...(usage === undefined || usage.totalTokens === 0 ? [] : [`${grouped(usage.totalTokens)} tokens`]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [costUsd === null ? 'cost ?' : dollars(costUsd, estimated)]),
  ].join(' · ');
}

/** Text of others must not become markup. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

function fenced(text: string): string {
  const most = 4000;
  const shown = text.length > most ? `${text.slice(0, most)}\n… ${grouped(text.length - most)} more characters` : text;
  return `\`\`\`\`json\n${shown.replaceAll('````', "'''' ")}\n\`\`\`\``;
}
