import type { JsonValue } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';
import { parseStepKey } from 'fullstop/journal';
import { categoryOf } from '../journal/describe-ending.js';
import { isWorkflowRun } from '../journal/is-workflow-run.js';
import type { StepNode } from '../journal/step-node.js';
import { spentBy, type UnitNode } from '../journal/unit-tree.js';
import {
  isUnpriced,
  localTime,
  shortCost,
  shortCount,
  shortDuration,
  spentCost,
  valueText,
} from '../journal/value-text.js';
import { oneLine } from '../terminal/foreign-text.js';
import type { Style } from '../terminal/style.js';
import { fitted, padded, widthOf, wrapped } from '../terminal/wrap.js';
import type { RunRecord } from '../why/explain-run.js';
import { paint, signOf } from './ending-look.js';
import { turnText } from './turn-text.js';

export interface ShowLook {
  readonly style: Style;
  readonly columns: number;
  /** Also what each step gave. */
  readonly values: boolean;
}

interface UnitLook extends ShowLook {
  /** The label of a unit without an ending. */
  readonly unended: string;
}

/** The timeline of a run: every unit and step with when, how long and how much. */
export function showText({ summary, ending, journal }: RunRecord, root: UnitNode, look: ShowLook): string {
  const { style } = look;
  const { runId, name, version, segment, startedAt } = summary;
  const facts = `${runId} · version ${version} · ${stateText(summary)} · segment ${segment} · started ${localTime(startedAt)}`;
  const turn = turnText(summary);
  const lines = [...titled(signOf(ending?.category, style), { text: oneLine(name), facts }, look)];
  if (turn !== undefined) lines.push(`  ${style.dim('turn')}   ${turn}`);
  const [first] = journal;
  const input = first?.type === 'run_started' ? inputOf(first.data.input, journal) : undefined;
  if (input !== undefined) lines.push(`  ${style.dim('input')}  ${valueText(input, look.columns - 10)}`);
  const unended = ending?.category === 'paused' ? 'waits' : 'under way';
  lines.push(...unitLines(root, { ...look, unended }, startedAt));
  if (ending !== undefined) {
    const spent = [
      shortDuration(ending.durationMs),
      ...(ending.usage.totalTokens > 0 ? [`${shortCount(ending.usage.totalTokens)} tok`] : []),
      ...(ending.costUsd === 0 ? [] : [shortCost(ending.costUsd, ending.estimated)]),
    ];
    const square = paint(ending.category, style.glyphs ? '■' : '#', style);
    const said = [ending.tag, ending.category, ...spent].join(' · ');
    lines.push(...titled(square, { text: oneLine(ending.summary), facts: said, plain: true }, look));
    if (ending.output !== undefined && ending.output !== null)
      lines.push(`  ${style.dim('output')} ${valueText(ending.output, look.columns - 10)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The state, and what is known of an owner that does not seem to execute the run. */
function stateText({ state, orphaned, silentSince }: RunRecord['summary']): string {
  if (orphaned === true) return `${state}, its owner is gone`;
  return silentSince === undefined ? state : `${state}, no sign of life since ${localTime(silentSince)}`;
}

interface Title {
  readonly text: string;
  readonly facts: string;
  readonly plain?: boolean;
}

/** A title with facts after it, or below it where they do not fit. */
function titled(sign: string, { text, facts, plain = false }: Title, { style, columns }: ShowLook): readonly string[] {
  const strong = (line: string): string => (plain ? line : style.bold(line));
  if (widthOf(`${sign} ${text} ${facts}`) <= columns) return [`${sign} ${strong(text)} ${style.dim(facts)}`];
  const [first = '', ...rest] = wrapped(text, columns - 2);
  return [
    `${sign} ${strong(first)}`,
    ...rest.map((line) => `  ${strong(line)}`),
    ...wrapped(facts, columns - 2).map((line) => `  ${style.dim(line)}`),
  ];
}

/** Of a workflow the inputs alone: its files are stored beside them. */
function inputOf(input: JsonValue | undefined, journal: readonly JournalEntry[]): JsonValue | undefined {
  return isWorkflowRun(journal) ? (input as { readonly inputs: string }).inputs : input;
}

function unitLines(unit: UnitNode, look: UnitLook, start: number): readonly string[] {
  const parts = [
    ...unit.steps.map((step) => ({ seq: step.seq, lines: () => stepLines(step, unit, look, start) })),
    ...unit.children.map((child) => ({ seq: child.seq, lines: () => childLines(child, look, start) })),
    ...unit.observations.map((observed) => ({
      seq: observed.seq,
      lines: () => explicitEnd(observed, unit, look, start),
    })),
  ];
  const spawned = unit.spawned.map(({ runId, name }) => `${indent(unit)}${look.style.dim('spawned')} ${name} ${runId}`);
  return [...parts.sort((left, right) => left.seq - right.seq).flatMap(({ lines }) => lines()), ...spawned];
}

function childLines(unit: UnitNode, look: UnitLook, start: number): readonly string[] {
  const { style } = look;
  const category = unit.termination && categoryOf(unit.termination);
  const spent = spentBy(unit);
  const { tokens } = spent;
  const cost = spentCost(spent);
  const facts = [
    unit.termination?.kind ?? look.unended,
    ...(unit.endedAt === undefined ? [] : [shortDuration(unit.endedAt - unit.startedAt)]),
    ...(tokens > 0 ? [`${shortCount(tokens)} tok`] : []),
    ...(cost === '' ? [] : [cost]),
    ...(unit.attempts > 1 ? [`attempt ${unit.attempts}`] : []),
  ];
  const head = `${offset(unit.startedAt, start, style)} ${'  '.repeat(unit.depth - 1)}${signOf(category, style)} ${style.bold(oneLine(unit.name))}  ${paint(category, facts.join(' · '), style)}`;
  return [head, ...unitLines(unit, look, start)];
}

/** The name of a step with its sign; of a step of a workflow also what it is. */
function stepLabel(
  { key, type, ok }: StepNode,
  style: Style,
): { readonly label: string; readonly kind: readonly string[] } {
  const { type: kind, unit: name } = parseStepKey(key) ?? {};
  const bad = style.red(style.glyphs ? '✗' : 'X');
  if (kind !== undefined && kind !== 'terminate' && name !== undefined)
    return { label: `${ok ? signOf('success', style) : bad} ${style.bold(oneLine(name))}`, kind: [kind] };
  const good = style.dim(style.glyphs ? '·' : '-');
  return { label: `${ok ? good : bad} ${oneLine(type === 'step' ? key : `${type} ${key}`)}`, kind: [] };
}

function stepLines(step: StepNode, unit: UnitNode, look: UnitLook, start: number): readonly string[] {
  const { style, values, columns } = look;
  const { label, kind } = stepLabel(step, style);
  const facts = [
    ...kind,
    shortDuration(step.durationMs),
    ...(step.charge === undefined
      ? []
      : [
          `${shortCount((step.charge.inputTokens ?? 0) + (step.charge.outputTokens ?? 0))} tok`,
          shortCost(isUnpriced(step.charge) ? null : (step.charge.costUsd ?? 0), step.charge.estimated),
        ]),
    ...(step.attempts > 1 ? [`${step.attempts} attempts`] : []),
  ];
  const begin = `${offset(step.at - step.durationMs, start, style)} ${'  '.repeat(unit.depth)}${label}  ${style.dim(facts.join(' · '))}`;
  const room = Math.max(columns - 12 - unit.depth * 2, 20);
  const error = step.error === undefined ? [] : [`${indent(unit)}${style.red(valueText(step.error, room))}`];
  const value =
    values && step.value !== undefined
      ? [`${indent(unit)}${style.dim(fitted(valueText(step.value, room), room))}`]
      : [];
  const prepared =
    step.prepared === undefined
      ? []
      : wrapped(`prepared: ${oneLine(step.prepared)}`, room).map((line) => `${indent(unit)}${style.dim(line)}`);
  return [begin, ...prepared, ...error, ...value];
}

/** A step of a workflow that ends it. */
function explicitEnd(
  { at, data }: UnitNode['observations'][number],
  { depth }: UnitNode,
  look: ShowLook,
  start: number,
): readonly string[] {
  const { type, step, status, reason } = data;
  if (type !== 'terminated' || typeof step !== 'string') return [];
  const { style, columns } = look;
  const category = status === 'failed' ? 'fatal' : 'success';
  const room = Math.max(columns - 13 - depth * 2 - widthOf(oneLine(step)), 10);
  const words = fitted(`terminate · ${String(status)} · ${valueText(reason ?? '', 100)}`, room);
  return [
    `${offset(at, start, style)} ${'  '.repeat(depth)}${signOf(category, style)} ${style.bold(oneLine(step))}  ${paint(category, words, style)}`,
  ];
}

function indent({ depth }: UnitNode): string {
  return ' '.repeat(12 + depth * 2);
}

function offset(at: number, start: number, style: Style): string {
  return style.dim(padded(`+${shortDuration(Math.max(0, at - start))}`, 8));
}
