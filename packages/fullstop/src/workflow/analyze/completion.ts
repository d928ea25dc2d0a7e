import { dominators } from '../graph/dominators.js';
import type { RouteGraph, Unit } from '../graph/route-graph.js';

/** What has surely completed by when, whatever way a run takes. */
export interface Completion {
  /** Whether a unit has an output whenever a run comes to another one; undefined when no run comes to it. */
  isDoneBefore(unit: string, other: string): boolean | undefined;
  /** Whether a unit has an output whenever the output of the workflow is rendered. */
  isDoneAtEnd(unit: string): boolean;
}

/** Every unit is two nodes, begun and done: a way through an error route passes only the first. */
export function completionOf(graph: RouteGraph): Completion {
  const numbers = new Map([...graph.units.keys()].map((name, index) => [name, index]));
  const end = graph.units.size * 2 + 1;
  const begun = (name: string): number | undefined => {
    const number = numbers.get(name);
    return number === undefined ? undefined : number * 2 + 1;
  };
  const next = (node: number): readonly number[] => targets[node] ?? [];
  const targets: number[][] = [[begun(graph.entry) ?? end]];
  for (const [index, unit] of [...graph.units.values()].entries()) {
    const edges = graph.from.get(unit.name) ?? [];
    const leading = (isError: boolean): number[] =>
      edges
        .filter(({ kind }) => (kind === 'error') === isError)
        .flatMap(({ to }) => (to === '$end' ? end : (begun(to) ?? [])));
    targets[index * 2 + 1] = [index * 2 + 2, ...leading(true)];
    targets[index * 2 + 2] = endsWithWorkflowOutput(unit) ? [end] : leading(false);
  }
  const dominates = dominators({ size: end + 1, next });
  return {
    isDoneBefore: (unit, other) => {
      const [first, second] = [begun(unit), begun(other)];
      if (second === undefined || !dominates(second, second)) return undefined;
      return first !== undefined && dominates(first + 1, second);
    },
    isDoneAtEnd: (unit) => dominates((begun(unit) ?? end) + 1, end),
  };
}

/** Whether a unit is an explicit end that renders the output of the workflow. */
export function endsWithWorkflowOutput(unit: Unit): boolean {
  return unit.type === 'step' && unit.step.type === 'terminate' && unit.step.output_template === undefined;
}
