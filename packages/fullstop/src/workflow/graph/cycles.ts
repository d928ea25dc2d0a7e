import type { DocumentGraph } from './document-graph.js';
import type { Edge } from './edge.js';

/** Units that a run can go round in. */
export interface Cycle {
  readonly units: readonly string[];
  /** The edges that lead out of it; without any, a run never leaves it alive. */
  readonly exits: readonly Edge[];
  /** `context.iteration` when a condition in it counts the rounds, else only the limit of the file ends it. */
  readonly boundedBy: 'context.iteration' | 'max_iterations';
}

/** The cycles among the units that can be reached, in the order of the file. */
export function cyclesOf(graph: DocumentGraph, reachable: ReadonlySet<string>): readonly Cycle[] {
  return components(graph, reachable)
    .filter((units) => units.length > 1 || edgesWithin(graph, new Set(units)).length > 0)
    .map((units) => cycleOf(graph, units));
}

function cycleOf(graph: DocumentGraph, units: readonly string[]): Cycle {
  const inside = new Set(units);
  const exits = units.flatMap((unit) => (graph.from.get(unit) ?? []).filter(({ to }) => !inside.has(to)));
  const counts = [...edgesWithin(graph, inside), ...exits].some(({ condition }) =>
    /context[._]iteration/.test(condition ?? ''),
  );
  const inFileOrder = [...graph.units.keys()].filter((name) => inside.has(name));
  return { units: inFileOrder, exits, boundedBy: counts ? 'context.iteration' : 'max_iterations' };
}

function edgesWithin(graph: DocumentGraph, inside: ReadonlySet<string>): readonly Edge[] {
  return [...inside].flatMap((unit) => (graph.from.get(unit) ?? []).filter(({ to }) => inside.has(to)));
}

/** Strongly connected components: units that finish first in a search are starting points of a search backwards. */
function components(graph: DocumentGraph, reachable: ReadonlySet<string>): readonly (readonly string[])[] {
  const backwards = new Map<string, string[]>();
  for (const { from, to } of graph.edges) {
    const sources = backwards.get(to);
    if (sources === undefined) backwards.set(to, [from]);
    else sources.push(from);
  }
  const onward = (name: string): readonly string[] => (graph.from.get(name) ?? []).map(({ to }) => to);
  const seen = new Set<string>();
  const finished: string[] = [];
  search(graph.entry, { next: onward, within: reachable, seen, finished });
  const taken = new Set<string>();
  return finished.toReversed().flatMap((name) => {
    const component: string[] = [];
    const next = (unit: string): readonly string[] => backwards.get(unit) ?? [];
    if (!taken.has(name)) search(name, { next, within: reachable, seen: taken, finished: component });
    return component.length === 0 ? [] : [component];
  });
}

interface Search {
  readonly next: (name: string) => readonly string[];
  readonly within: ReadonlySet<string>;
  readonly seen: Set<string>;
  /** Units in the order in which they were done with. */
  readonly finished: string[];
}

function search(start: string, { next, within, seen, finished }: Search): void {
  const open = [{ name: start, rest: [...next(start)] }];
  seen.add(start);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const name = top.rest.pop();
    if (name === undefined) {
      finished.push(top.name);
      open.pop();
    } else if (within.has(name) && !seen.has(name)) {
      seen.add(name);
      open.push({ name, rest: [...next(name)] });
    }
  }
}
