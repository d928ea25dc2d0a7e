import type { DocumentGraph } from './document-graph.js';
import type { Edge } from './edge.js';

/** The units that a run can reach. */
export function reachableUnits(graph: DocumentGraph): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [graph.entry];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name) || !graph.units.has(name)) continue;
    reached.add(name);
    for (const { to } of graph.from.get(name) ?? []) open.push(to);
  }
  return reached;
}

/** Whether every run that ends comes by a unit: there is no way from the entry to an end without it. */
export function isUnavoidable(graph: DocumentGraph, name: string): boolean {
  const isEnd = ({ to }: Edge): boolean => to !== name && (graph.from.get(to) ?? []).length === 0;
  return wayAround(graph, isEnd, name) === undefined;
}

/** A shortest way from the entry over a certain edge that leaves a unit out, if there is one. */
export function wayAround(
  graph: DocumentGraph,
  isTarget: (edge: Edge) => boolean,
  avoid: string,
): readonly string[] | undefined {
  if (graph.entry === avoid) return undefined;
  const cameFrom = new Map<string, string | undefined>([[graph.entry, undefined]]);
  for (const name of cameFrom.keys()) {
    for (const edge of graph.from.get(name) ?? []) {
      if (isTarget(edge)) return [...wayTo(cameFrom, name), edge.to];
      if (edge.to !== avoid && graph.units.has(edge.to) && !cameFrom.has(edge.to)) cameFrom.set(edge.to, name);
    }
  }
  return undefined;
}

function wayTo(cameFrom: ReadonlyMap<string, string | undefined>, target: string): readonly string[] {
  const way: string[] = [];
  for (let name: string | undefined = target; name !== undefined; name = cameFrom.get(name)) way.push(name);
  return way.reverse();
}
