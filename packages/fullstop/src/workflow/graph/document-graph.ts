import type { Step, WorkflowDocument } from '../schema/document.js';
import type { ShapeRow, StepTable } from '../schema/steps/step-table.js';
import { type Edge, routedEdges } from './edge.js';
import type { Unit } from './unit.js';

/** The part of a step type that the graph reads. */
export interface GraphRow extends ShapeRow {
  readonly graph: StepGraph<Step>;
}

/** The place of a step type in the graph. */
export interface StepGraph<S> {
  /** The ways to continue after such a step, in order. */
  edges(step: S): readonly Edge[];
  /** The workflow file that the step runs, if it runs one. */
  runsFile(step: S): string | undefined;
  /** True when the step has an ending of its own, which a failure ends the workflow with as `child_failed`. */
  readonly hasOwnEnding: boolean;
}

/** The units of a document and the ways between them: what the analysis, the machine and every drawing go by. */
export interface DocumentGraph {
  readonly entry: string;
  /** Steps, then parallel groups, then for_each groups, each in the order of the file. */
  readonly units: ReadonlyMap<string, Unit>;
  readonly edges: readonly Edge[];
  /** The edges that can be taken from a unit, in order; those after a route without condition are left out. */
  readonly from: ReadonlyMap<string, readonly Edge[]>;
}

export function documentGraph(document: WorkflowDocument, steps: StepTable<GraphRow>): DocumentGraph {
  const units = unitsOf(document);
  const edgesOf = (unit: Unit): readonly Edge[] =>
    unit.type === 'step' ? steps.of(unit.step).graph.edges(unit.step) : routedEdges(unit.group);
  const from = new Map([...units.values()].map((unit) => [unit.name, edgesOf(unit)]));
  return { entry: document.workflow.entry_point, units, edges: [...from.values()].flat(), from };
}

/** A group takes a name before a step, a for_each group before a parallel one; of two of a kind the first counts. */
function unitsOf({ agents, parallel, for_each: groups }: WorkflowDocument): ReadonlyMap<string, Unit> {
  const units = new Map<string, Unit>();
  const put = (unit: Unit): void => {
    if (units.get(unit.name)?.type !== unit.type) units.set(unit.name, unit);
  };
  const steps = new Map<string, Step>();
  for (const step of agents) if (!steps.has(step.name)) steps.set(step.name, step);
  for (const step of steps.values()) put({ type: 'step', name: step.name, step });
  for (const group of parallel) {
    const members = group.agents.flatMap((name) => steps.get(name) ?? []);
    put({ type: 'parallel', name: group.name, group, members });
  }
  for (const group of groups) put({ type: 'for_each', name: group.name, group });
  return units;
}
