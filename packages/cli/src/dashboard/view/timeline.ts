import { type AnyTermination, type Category, rootCause } from 'fullstop';
import { isModelKey, parseCallKey, parseStepKey, parseSuggestorKey } from 'fullstop/journal';
import { categoryOf, describeEnding } from '../../journal/describe-ending.js';
import { counted } from '../../journal/number-text.js';
import type { StepNode } from '../../journal/step-node.js';
import { spentBy, type UnitNode, unitTree } from '../../journal/unit-tree.js';
import { isUnpriced, shortCost, shortCount, spentCost } from '../../journal/value-text.js';
import { culpritOf } from '../../why/culprit.js';
import type { RunRecord } from '../../why/explain-run.js';
import { loopObservation } from '../../why/observation.js';
import { type BudgetLine, budgetLines } from './budget-lines.js';
import { type RepeatedCalls, repeatedCalls } from './repeated-calls.js';

/** A row of the waterfall. */
export interface TimelineBar {
  readonly seq: number;
  /** The unit that it belongs to, or that it is. */
  readonly path: string;
  readonly name: string;
  readonly type: 'unit' | 'iteration' | 'model' | 'tool' | 'step' | 'suggestor' | 'wait' | 'sleep';
  readonly depth: number;
  readonly from: number;
  /** Absent while it has no end. */
  readonly to?: number;
  readonly category?: Category;
  readonly kind?: string;
  /** Tokens, cost and attempts in words. */
  readonly note?: string;
  readonly error?: string;
}

/** The course of a run over time, and how its budgets were used up. */
export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly bars: readonly TimelineBar[];
  readonly budgets: readonly BudgetLine[];
  /** The calls that a detector found to repeat. */
  readonly repeated?: RepeatedCalls;
}

/** Lays a run out in time. */
export function timelineOf({ journal, ending, summary }: RunRecord): Timeline {
  const root = unitTree(journal);
  const culprit = culpritOf(root, ending?.termination);
  const cause: AnyTermination | undefined = ending && rootCause(ending.termination);
  const repeated = cause && repeatedCalls(cause, culprit);
  const causes = cause === undefined ? [] : [cause, ...(ending?.also ?? []), ...culprit.also];
  return {
    from: summary.startedAt,
    to: journal.at(-1)?.at ?? summary.startedAt,
    bars: unitBars(root, 0),
    budgets: budgetLines(journal, { unit: culprit, causes }),
    ...(repeated !== undefined && { repeated }),
  };
}

function unitBars(unit: UnitNode, depth: number): readonly TimelineBar[] {
  const bars: { readonly order: number; readonly bars: readonly TimelineBar[] }[] = [
    ...iterationBars(unit, depth + 1).map((bar) => ({ order: bar.seq - 0.5, bars: [bar] })),
    ...unit.steps.map((step) => ({ order: step.seq, bars: [stepBar(step, unit.path, depth + 1)] })),
    ...unit.children.map((child) => ({ order: child.seq, bars: unitBars(child, depth + 1) })),
  ];
  bars.sort((left, right) => left.order - right.order);
  const all: TimelineBar[] = [unitBar(unit, depth)];
  for (const each of bars) for (const bar of each.bars) all.push(bar);
  return all;
}

function unitBar(unit: UnitNode, depth: number): TimelineBar {
  const { path, name, seq, startedAt, endedAt, termination, attempts } = unit;
  const spent = spentBy(unit);
  const cost = spentCost(spent);
  const note = [
    ...(spent.tokens > 0 ? [`${shortCount(spent.tokens)} tokens`] : []),
    ...(cost === '' ? [] : [cost]),
    ...(attempts > 1 ? [counted(attempts, 'attempt')] : []),
  ].join(' · ');
  const shown = endedAt === undefined ? undefined : termination;
  const category = shown && categoryOf(shown);
  return {
    seq,
    path,
    name,
    type: 'unit',
    depth,
    from: startedAt,
    ...(endedAt !== undefined && { to: endedAt }),
    ...(category !== undefined && { category }),
    ...(shown !== undefined && { kind: shown.kind }),
    ...(note !== '' && { note }),
    ...(shown !== undefined && category !== 'success' && { error: describeEnding(shown) }),
  };
}

function stepBar(step: StepNode, path: string, depth: number): TimelineBar {
  const { seq, at, durationMs, ok, attempts, charge, error } = step;
  const note = [
    ...(charge === undefined
      ? []
      : [
          `${shortCount((charge.inputTokens ?? 0) + (charge.outputTokens ?? 0))} tokens`,
          shortCost(isUnpriced(charge) ? null : (charge.costUsd ?? 0), charge.estimated),
        ]),
    ...(attempts > 1 ? [counted(attempts, 'attempt')] : []),
  ].join(' · ');
  return {
    seq,
    path,
    ...titleOf(step),
    depth,
    from: at - durationMs,
    to: at,
    category: ok ? 'success' : 'fatal',
    ...(note !== '' && { note }),
    ...(error !== undefined && { error }),
  };
}

function titleOf({ type, key }: StepNode): Pick<TimelineBar, 'name' | 'type'> {
  if (type !== 'step') return { type, name: key };
  if (isModelKey(key)) return { type: 'model', name: key };
  const call = parseCallKey(key);
  if (call !== undefined) return { type: 'tool', name: call.tool };
  const asked = parseSuggestorKey(key);
  if (asked !== undefined) return { type: 'suggestor', name: asked.suggestor };
  return { type: 'step', name: parseStepKey(key)?.unit ?? key };
}

/** The iterations of an agent, each from where the one before it ended. */
function iterationBars(unit: UnitNode, depth: number): readonly TimelineBar[] {
  const ends = unit.observations.flatMap(({ seq, at, data }) => {
    const observed = loopObservation(data);
    return observed?.point === 'after_iteration' ? [{ seq, at, number: observed.iterations }] : [];
  });
  let before = { seq: unit.seq, at: unit.startedAt };
  let place = 0;
  return ends.map(({ seq, at, number }) => {
    while ((unit.steps[place]?.seq ?? Number.POSITIVE_INFINITY) <= before.seq) place += 1;
    const first = unit.steps[place]?.seq ?? seq;
    const bar: TimelineBar = {
      seq: first,
      path: unit.path,
      name: `iteration ${number}`,
      type: 'iteration',
      depth,
      from: before.at,
      to: at,
    };
    before = { seq, at };
    return bar;
  });
}
