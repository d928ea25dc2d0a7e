import type { Cycle } from '../graph/cycles.js';
import type { RouteGraph, Unit } from '../graph/route-graph.js';
import type { WorkflowDocument } from '../schema/document.js';

/** The units at which a run can be stopped by max_iterations: those that come after too many steps on some way. */
export function unitsAtLimit(
  document: WorkflowDocument,
  graph: RouteGraph,
  cycles: readonly Cycle[],
): readonly string[] {
  const limit = document.workflow.limits.max_iterations;
  const most = mostBefore(graph, cycles);
  return [...graph.units.values()].flatMap((unit) => {
    const before = most.get(unit.name);
    if (before === undefined || isTerminate(unit)) return [];
    const isBeyond = unit.type === 'parallel' ? before + unit.members.length > limit : before >= limit;
    return isBeyond ? [unit.name] : [];
  });
}

/** How many iterations a run can have used at most when it comes to a unit; endless inside and behind a cycle. */
function mostBefore(graph: RouteGraph, cycles: readonly Cycle[]): ReadonlyMap<string, number> {
  const cyclic = new Set(cycles.flatMap(({ units }) => units));
  const most = new Map<string, number>();
  const open = [{ name: graph.entry, used: 0 }];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { name } = next;
    const unit = graph.units.get(name);
    const used = cyclic.has(name) ? Number.POSITIVE_INFINITY : next.used;
    if (unit === undefined || (most.get(name) ?? -1) >= used) continue;
    most.set(name, used);
    open.push(...(graph.from.get(name) ?? []).map(({ to }) => ({ name: to, used: used + costOf(unit) })));
  }
  return most;
}

/** A group counts its members; how many items a list has is not known before. */
function costOf(unit: Unit): number {
  if (unit.type === 'for_each') return Number.POSITIVE_INFINITY;
  return unit.type === 'parallel' ? Math.max(1, unit.members.length) : 1;
}

function isTerminate(unit: Unit): boolean {
  return unit.type === 'step' && unit.step.type === 'terminate';
}
