import { type Cycle, cyclesOf } from '../graph/cycles.js';
import type { DocumentGraph } from '../graph/document-graph.js';
import { namedMembers, stepsIn } from '../graph/group-types.js';
import type { LoadedFile } from '../graph/loaded-file.js';
import { reachableUnits } from '../graph/reachability.js';
import { hasCatchAll, type Unit } from '../graph/unit.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { AnalysisRow, Drawing } from './meaning.js';
import { type PossibleEnding, possibleEndings } from './possible-endings.js';
import { type UncertainReference, uncertainReferences } from './uncertain-references.js';

/** The findings about a workflow file without running it. */
export interface WorkflowAnalysis {
  readonly name: string;
  readonly file: string;
  readonly graph: DocumentGraph;
  /** The box of each step in a drawing, by its name; groups have none. */
  readonly drawings: ReadonlyMap<string, Drawing>;
  /** Every way in which runs can end, with the steps that cause it. */
  readonly endings: readonly PossibleEnding[];
  /** Steps and groups that no run reaches. */
  readonly unreachable: readonly string[];
  /** Steps and groups whose routes have no last one without condition. */
  readonly deadEnds: readonly string[];
  readonly cycles: readonly Cycle[];
  /** Steps that wait for a person forever. */
  readonly gatesWithoutDeadline: readonly string[];
  readonly uncertainReferences: readonly UncertainReference[];
}

/** Finds every way in which a workflow can end, and what looks wrong on the way. */
export function analyzeFile(loaded: LoadedFile<AnalysisRow>): WorkflowAnalysis {
  const { document, file, graph, steps } = loaded;
  const names = reachableUnits(graph);
  const reachable = [...graph.units.values()].filter(({ name }) => names.has(name));
  const cycles = cyclesOf(graph, names);
  const members = namedMembers(reachable);
  return {
    name: document.workflow.name,
    file,
    graph,
    drawings: drawingsOf(graph, steps),
    endings: possibleEndings({ loaded, reachable, cycles, chain: [file] }),
    unreachable: [...graph.units.keys()].filter((name) => !names.has(name) && !members.has(name)),
    deadEnds: reachable.filter((unit) => !hasCatchAll(unit)).map(({ name }) => name),
    cycles,
    gatesWithoutDeadline: reachable.filter((unit) => waitsForever(unit, steps)).map(({ name }) => name),
    uncertainReferences: uncertainReferences(loaded),
  };
}

function waitsForever(unit: Unit, steps: StepTable<AnalysisRow>): boolean {
  // Members of a parallel group cannot ask a person.
  if (unit.type === 'parallel') return false;
  return stepsIn(unit).some((step) => steps.of(step).analysis.waitsForPerson(step) === 'forever');
}

function drawingsOf({ units }: DocumentGraph, steps: StepTable<AnalysisRow>): ReadonlyMap<string, Drawing> {
  return new Map(
    [...units.values()].flatMap((unit) =>
      unit.type === 'step' ? [[unit.name, steps.of(unit.step).analysis.draw(unit.step)] as const] : [],
    ),
  );
}
