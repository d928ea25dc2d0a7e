import type { DocumentGraph } from '../graph/document-graph.js';
import { dominators } from '../graph/dominators.js';
import type { Unit } from '../graph/unit.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { AnalysisRow } from './meaning.js';

/** Which units have surely completed by when, whatever way a run takes. */
export interface Completion {
  /** Whether a unit has an output whenever a run reaches another one; undefined when no run reaches it. */
  isDoneBefore(unit: string, other: string): boolean | undefined;
  /** Whether a unit has an output whenever the output of the workflow is rendered. */
  isDoneAtEnd(unit: string): boolean;
}

/** Every unit is two nodes, begun and done: a way through an error route passes only the first. */
export function completionOf(graph: DocumentGraph, steps: StepTable<AnalysisRow>): Completion {
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
    targets[index * 2 + 2] = endsWithWorkflowOutput(unit, steps) ? [end] : leading(false);
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
export function endsWithWorkflowOutput(unit: Unit, steps: StepTable<AnalysisRow>): boolean {
  return unit.type === 'step' && steps.of(unit.step).analysis.endsWorkflow(unit.step)?.usesWorkflowOutput === true;
}
