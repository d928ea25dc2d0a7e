import { type Cycle, cyclesOf } from '../graph/cycles.js';
import type { LoadedDocument } from '../graph/loaded-document.js';
import { reachableUnits } from '../graph/reachability.js';
import { hasCatchAll, type RouteGraph, routeGraph, type Unit } from '../graph/route-graph.js';
import { type PossibleEnding, possibleEndings } from './possible-endings.js';
import { type UncertainReference, uncertainReferences } from './uncertain-references.js';

/** What can be said about a workflow file without running it. */
export interface Analysis {
  readonly name: string;
  readonly file: string;
  readonly graph: RouteGraph;
  /** Every way in which runs can end, with the steps that cause it. */
  readonly endings: readonly PossibleEnding[];
  /** Steps and groups that no run comes to. */
  readonly unreachable: readonly string[];
  /** Steps and groups whose routes have no last one without condition. */
  readonly deadEnds: readonly string[];
  readonly cycles: readonly Cycle[];
  /** Steps that wait for a person for ever. */
  readonly gatesWithoutDeadline: readonly string[];
  readonly uncertainReferences: readonly UncertainReference[];
}

/** Finds every way in which a workflow can end, and what looks wrong on the way. */
export function analyzeWorkflow(loaded: LoadedDocument): Analysis {
  const { document, file } = loaded;
  const graph = routeGraph(document);
  const names = reachableUnits(graph);
  const reachable = [...graph.units.values()].filter(({ name }) => names.has(name));
  const cycles = cyclesOf(graph, names);
  const members = new Set(reachable.flatMap((unit) => (unit.type === 'parallel' ? unit.group.agents : [])));
  return {
    name: document.workflow.name,
    file,
    graph,
    endings: possibleEndings({ loaded, document, graph, reachable, cycles, chain: [file] }),
    unreachable: [...graph.units.keys()].filter((name) => !names.has(name) && !members.has(name)),
    deadEnds: reachable.filter((unit) => !hasCatchAll(unit)).map(({ name }) => name),
    cycles,
    gatesWithoutDeadline: reachable.filter(waitsForEver).map(({ name }) => name),
    uncertainReferences: uncertainReferences({ document, graph, locate: loaded.locate }),
  };
}

function waitsForEver(unit: Unit): boolean {
  const step = unit.type === 'for_each' ? unit.group.agent : unit.type === 'step' && unit.step;
  if (step === false) return false;
  return (step.type === 'human_gate' || step.type === 'questions') && step.deadline === undefined;
}
