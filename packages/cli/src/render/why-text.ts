import { dollars, duration, grouped } from '../journal/number-text.js';
import { localTime, relativeTime, shortCount, shortDuration, spentCost, valueText } from '../journal/value-text.js';
import { harmless, oneLine } from '../terminal/foreign-text.js';
import { type Style, shownWith } from '../terminal/style.js';
import { fitted, wrapped } from '../terminal/wrap.js';
import type { ExplainedRequest, ExplainedUnit, Explanation } from '../why/explanation.js';
import { paint, signOf } from './ending-look.js';
import { forkText } from './fork-text.js';
import { turnText } from './turn-text.js';

export interface WhyLook {
  readonly style: Style;
  readonly columns: number;
  readonly now: number;
}

const labelWidth = 10;
const mostDecisions = 10;
const mostPrepared = 5;

/** An explanation for a person: what happened in the first line, what to do in the last. */
export function whyText(explanation: Explanation, look: WhyLook): string {
  const { style } = look;
  const { ending, headline, name, runId, segment, because, also, did, waiting, next } = explanation;
  const words = (lines: readonly string[]): readonly string[] =>
    lines.flatMap((line) => wrapped(harmless(line), look.columns - labelWidth - 2));
  const sections: readonly (readonly string[])[] = [
    labelled('because', words(because), style),
    labelled('at', words(countersLine(explanation)), style),
    labelled('waits for', words(waiting.flatMap((request) => requestLines(request, look))), style),
    labelled('decided', words(explanation.decided.slice(-mostDecisions)), style),
    labelled('did', words(did.length === 0 ? [] : [did.join(style.glyphs ? ' → ' : ' > ')]), style),
    labelled('prepared', words((explanation.prepared ?? []).slice(-mostPrepared)), style),
    labelled('units', unitLines(explanation, look), style),
    labelled('also', words(also), style),
    labelled('output', words(outputLines(explanation, look)), style),
    labelled('spent', words([spentLine(explanation)]), style),
    labelled(
      'next',
      next.flatMap(({ text, command }) =>
        command === undefined ? words([text]) : [...words([`${text}:`]), `  ${style.cyan(command)}`],
      ),
      style,
    ),
  ];
  const category = explanation.damage === undefined ? ending?.category : 'fatal';
  const title = `${signOf(category, style)} ${paint(category, style.bold(oneLine(headline)), style)}`;
  const facts =
    ending === undefined
      ? stateOf(explanation)
      : `${ending.tag} · ${ending.category} · ${ending.open ? 'open' : 'final'}`;
  const turn = turnText(explanation);
  const origin = forkText(explanation);
  const place = [
    name,
    runId,
    ...(segment > 1 ? [`segment ${segment}`] : []),
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(origin === undefined ? [] : [origin]),
  ];
  const head = [
    ...wrapped(title, look.columns),
    ...wrapped([facts, ...place].join(' · '), look.columns - 2).map((line) => style.dim(`  ${line}`)),
  ];
  return shownWith(style, `${[...head, ...sections.flat()].join('\n')}\n`);
}

function stateOf({ damage, state }: Explanation): string {
  return damage === undefined ? state : 'damaged';
}

function labelled(label: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.map((line, index) => `  ${style.dim((index === 0 ? label : '').padEnd(labelWidth))}${line}`);
}

function countersLine({ counters }: Explanation): readonly string[] {
  if (counters.length === 0) return [];
  return [
    counters.map(({ name, used, limit }) => `${name} ${used}${limit === undefined ? '' : ` of ${limit}`}`).join(' · '),
  ];
}

function requestLines(
  { id, path, question, deadline, choices, openedAt }: ExplainedRequest,
  { now }: WhyLook,
): readonly string[] {
  const where = path === '' ? '' : ` in ${path}`;
  const until = deadline === undefined ? '' : `, until ${localTime(deadline)} (${relativeTime(deadline, now)})`;
  const options = choices.length === 0 ? '' : ` [${choices.join(' | ')}]`;
  return [`${id}: ${question}${options} (asked ${relativeTime(openedAt, now)}${where}${until})`];
}

const mostUnits = 40;

function unitLines({ tree, runId, ending }: Explanation, look: WhyLook): readonly string[] {
  if (tree === undefined || isPlain(tree.children)) return [];
  const unended = ending?.category === 'paused' ? 'waits' : 'under way';
  const lines = treeLines(tree.children, '', { ...look, unended }).map((line) =>
    fitted(line, look.columns - labelWidth - 2),
  );
  if (lines.length <= mostUnits) return lines;
  return [...lines.slice(0, mostUnits), `… and ${lines.length - mostUnits} more: fullstop show ${runId}`];
}

/** One unit that was no cause says nothing which the rest does not. */
function isPlain([first, second]: readonly ExplainedUnit[]): boolean {
  if (first === undefined || second !== undefined) return false;
  const { kind, category, children, isCause } = first;
  return (kind === undefined || category === 'success') && !isCause && children.length === 0;
}

interface TreeLook extends WhyLook {
  /** The label of a unit without an ending. */
  readonly unended: string;
}

/** The units as a tree; the way to the first cause is marked. */
function treeLines(units: readonly ExplainedUnit[], indent: string, look: TreeLook): readonly string[] {
  const { style } = look;
  return units.flatMap((unit, index) => {
    const isLast = index === units.length - 1;
    const [branch, stem] = style.glyphs
      ? [isLast ? '└ ' : '├ ', isLast ? '  ' : '│ ']
      : [isLast ? '` ' : '| ', isLast ? '  ' : '| '];
    const line = `${style.dim(indent + branch)}${unitLine(unit, look)}`;
    return [line, ...treeLines(unit.children, indent + stem, look)];
  });
}

function unitLine(unit: ExplainedUnit, { style, unended }: TreeLook): string {
  const { name, kind, category, durationMs, tokens, attempts, isCause, summary } = unit;
  const cost = spentCost(unit);
  const facts = [
    kind ?? unended,
    ...(durationMs === undefined ? [] : [shortDuration(durationMs)]),
    ...(tokens > 0 ? [`${shortCount(tokens)} tok`] : []),
    ...(cost === '' ? [] : [cost]),
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
  ].join(' · ');
  const cause = isCause && summary !== undefined ? ` ${style.glyphs ? '←' : '<-'} ${valueText(summary, 80)}` : '';
  return `${signOf(category, style)} ${isCause ? style.bold(name) : name}  ${paint(category, facts, style)}${paint(category, cause, style)}`;
}

function outputLines({ lastOutput }: Explanation, { columns }: WhyLook): readonly string[] {
  if (lastOutput === undefined) return [];
  const { from, value } = lastOutput;
  const room = Math.max(columns - labelWidth - 4, 20) * 2;
  return [`${from === 'the run' ? '' : `${from}: `}${valueText(value, room)}`];
}

function spentLine({ usage, costUsd, estimated, durationMs, startedAt, endedAt }: Explanation): string {
  const parts = [
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
    ...(usage === undefined || usage.totalTokens === 0 ? [] : [`${grouped(usage.totalTokens)} tokens`]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [costUsd === null ? 'cost ?' : dollars(costUsd, estimated)]),
    `started ${localTime(startedAt)}`,
    ...(endedAt === undefined ? [] : [`ended ${localTime(endedAt)}`]),
  ];
  return parts.join(' · ');
}
