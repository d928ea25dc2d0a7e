import type { GraphEdge, GraphNode, RunGraph } from '../../../../cli/src/dashboard/view/run-graph.js';

/** The part of a graph that is drawn: the insides of what is open, and nothing of what is closed. */
export interface VisibleGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The nodes that have something inside. */
  readonly containers: ReadonlySet<string>;
}

/** `inside` draws one unit instead of the whole run. */
export function visibleGraph(
  graph: RunGraph,
  { inside, open }: { readonly inside: string; readonly open: ReadonlySet<string> },
): VisibleGraph {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const containers = new Set(graph.nodes.flatMap(({ parent }) => (parent === undefined ? [] : [parent])));
  const shown = new Map<string, boolean>();
  const isShown = (node: GraphNode): boolean => {
    const known = shown.get(node.id);
    if (known !== undefined) return known;
    const { parent } = node;
    const isTop = (parent ?? '') === inside;
    const around = parent === undefined ? undefined : byId.get(parent);
    const result = isTop || (parent !== undefined && open.has(parent) && around !== undefined && isShown(around));
    shown.set(node.id, result);
    return result;
  };
  const nodes = graph.nodes.filter(isShown);
  const ids = new Set(nodes.map(({ id }) => id));
  return { nodes, edges: graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)), containers };
}

const mostMembers = 8;

/** Groups are open from the beginning where they are small; sub-workflows and sub-agents are opened by their reader. */
export function openAtFirst({ nodes }: RunGraph): ReadonlySet<string> {
  const sizes = new Map<string, number>();
  for (const { parent } of nodes) if (parent !== undefined) sizes.set(parent, (sizes.get(parent) ?? 0) + 1);
  return new Set(
    nodes.flatMap(({ id, group }) => (group !== undefined && (sizes.get(id) ?? 0) <= mostMembers ? [id] : [])),
  );
}

/** The nodes from the run down to one, for the crumbs above the graph. */
export function crumbsTo({ nodes }: RunGraph, inside: string): readonly GraphNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const crumbs: GraphNode[] = [];
  for (let node = byId.get(inside); node !== undefined; node = byId.get(node.parent ?? '')) {
    crumbs.unshift(node);
    if (node.parent === undefined) break;
  }
  return crumbs;
}
