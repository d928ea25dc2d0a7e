import type { AnyTermination } from 'fullstop';
import { addUsd, isWithin, type JournalEntry } from 'fullstop/journal';
import { cycleObservation } from '../../journal/cycle-observation.js';
import type { UnitNode } from '../../journal/unit-tree.js';
import { stepDone } from '../../journal/workflow-observation.js';
import { loopObservation } from '../../why/observation.js';

/** How something that has a limit, or could have one, was used up. */
export interface BudgetLine {
  readonly name: string;
  readonly unit: 'count' | 'usd' | 'ms';
  readonly points: readonly BudgetPoint[];
  readonly limit?: number;
  /** The first point at or beyond the limit. */
  readonly crossing?: BudgetPoint;
}

export interface BudgetPoint {
  readonly seq: number;
  readonly at: number;
  readonly used: number;
}

/** A line needs no more to be drawn. */
const mostPoints = 300;

interface Place {
  /** The unit where the ending came about. */
  readonly unit: UnitNode;
  /** Everything that ended it, whose limits are known. */
  readonly causes: readonly AnyTermination[];
}

/** The counters of the unit that ended, from its first entry to its last. */
export function budgetLines(journal: readonly JournalEntry[], { unit, causes }: Place): readonly BudgetLine[] {
  const usage = new Usage();
  for (const entry of journal) if (isWithin(entry.scope, unit.path)) usage.take(entry, unit.path);
  const limits = new Map([...usage.limits, ...causes.flatMap(limitOf)]);
  return [...usage.lines].flatMap(([name, points]) => {
    if (points.every(({ used }) => used === 0)) return [];
    const limit = limits.get(name);
    const crossing = limit === undefined ? undefined : points.find(({ used }) => used >= limit);
    return [
      {
        name,
        unit: unitOf(name),
        points: thinned(points),
        ...(limit !== undefined && { limit }),
        ...(crossing !== undefined && { crossing }),
      },
    ];
  });
}

class Usage {
  readonly lines = new Map<string, BudgetPoint[]>();
  readonly limits = new Map<string, number>();
  #tokens = 0;
  #costUsd = 0;

  take(entry: JournalEntry, path: string): void {
    const { seq, at } = entry;
    const put = (name: string, used: number | null): void => {
      if (used === null) return;
      const points = this.lines.get(name);
      if (points === undefined) this.lines.set(name, [{ seq, at, used }]);
      else points.push({ seq, at, used });
    };
    if (entry.type === 'observed' && entry.scope === path) this.#observe(entry.data, put);
    if (entry.type !== 'step_ended' && entry.type !== 'recorded') return;
    const merge = entry.scope === path ? cycleObservation(entry) : undefined;
    if (merge !== undefined) {
      put('cycles', merge.cycle);
      put('facts', merge.facts);
    }
    const { charge } = entry.data;
    if (charge === undefined) return;
    this.#tokens += (charge.inputTokens ?? 0) + (charge.outputTokens ?? 0);
    put('tokens', this.#tokens);
    if (charge.costUsd === undefined) return;
    this.#costUsd = addUsd(this.#costUsd, charge.costUsd);
    put('cost', this.#costUsd);
  }

  #observe(data: JournalEntry<'observed'>['data'], put: (name: string, used: number | null) => void): void {
    const observed = loopObservation(data);
    if (observed !== undefined) {
      put('iterations', observed.iterations);
      put('tool calls', observed.toolCalls);
      put('active time', observed.activeMs);
      return;
    }
    const done = stepDone(data);
    if (done === undefined) return;
    put('steps', done.iterations);
    this.limits.set('steps', done.limit);
  }
}

function unitOf(name: string): BudgetLine['unit'] {
  if (name === 'cost') return 'usd';
  return name === 'active time' ? 'ms' : 'count';
}

function limitOf(cause: AnyTermination): readonly (readonly [string, number])[] {
  switch (cause.kind) {
    case 'max_iterations':
      return [[cause.unit === 'iteration' ? 'iterations' : `${cause.unit}s`, cause.limit]];
    case 'max_tool_calls':
      return [['tool calls', cause.limit]];
    case 'token_budget':
      return [['tokens', cause.limit]];
    case 'cost_budget':
      return [['cost', cause.limitUsd]];
    case 'time_budget':
      return cause.scope === 'run' ? [['active time', cause.limitMs]] : [];
    case 'cycle_budget':
      return [['cycles', cause.limit]];
    case 'fact_budget':
      return [['facts', cause.limit]];
    default:
      return [];
  }
}

/** Leaves out points between others; the first and the last stay. */
function thinned(points: readonly BudgetPoint[]): readonly BudgetPoint[] {
  if (points.length <= mostPoints) return points;
  const every = Math.ceil(points.length / mostPoints);
  return points.filter((_, index) => index % every === 0 || index === points.length - 1);
}
