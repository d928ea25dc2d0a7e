import type { Cycle } from '../graph/cycles.js';
import type { DocumentGraph } from '../graph/document-graph.js';
import { groupTypeOf } from '../graph/group-types.js';
import type { LoadedFile } from '../graph/loaded-file.js';
import type { Unit } from '../graph/unit.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { AnalysisRow } from './meaning.js';

/** The units at which a run can be stopped by max_iterations: those after too many steps on some way. */
export function unitsAtLimit(
  { document, graph, steps }: LoadedFile<AnalysisRow>,
  cycles: readonly Cycle[],
): readonly string[] {
  const limit = document.workflow.limits.max_iterations;
  const most = mostBefore(graph, cycles);
  return [...graph.units.values()].flatMap((unit) => {
    const before = most.get(unit.name);
    if (before === undefined || endsWorkflow(unit, steps)) return [];
    const needed = unit.type === 'step' ? 1 : (groupTypeOf(unit).size(unit) ?? 1);
    return before + needed > limit ? [unit.name] : [];
  });
}

/** How many iterations a run can have used at most when it reaches a unit; infinite inside and after a cycle. */
function mostBefore(graph: DocumentGraph, cycles: readonly Cycle[]): ReadonlyMap<string, number> {
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
  return unit.type === 'step' ? 1 : groupTypeOf(unit).mostIterations(unit);
}

/** An explicit end is never pre-empted by the limit. */
function endsWorkflow(unit: Unit, steps: StepTable<AnalysisRow>): boolean {
  return unit.type === 'step' && steps.of(unit.step).shape.endsWorkflow;
}
