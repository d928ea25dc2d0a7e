import { Graph, layout } from '@dagrejs/dagre';
import type { GraphNode } from '../../../../cli/src/dashboard/view/run-graph.js';
import type { VisibleGraph } from './visible-graph.js';

export interface Placed {
  /** Inside its parent. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const header = 58;
const margin = 14;

/** Places nodes from top to bottom; each container is laid out by itself first, and is then one box in the graph around it. */
export function layOut(visible: VisibleGraph, inside: string): ReadonlyMap<string, Placed> {
  const children = new Map<string, GraphNode[]>();
  for (const node of visible.nodes) {
    const known = children.get(node.parent ?? '');
    if (known === undefined) children.set(node.parent ?? '', [node]);
    else known.push(node);
  }
  const placed = new Map<string, Placed>();
  placeInside(inside, { visible, children, placed, top: inside });
  return placed;
}

interface Laying {
  readonly visible: VisibleGraph;
  readonly children: ReadonlyMap<string, readonly GraphNode[]>;
  readonly placed: Map<string, Placed>;
  /** The container that has no box around it. */
  readonly top: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function placeInside(container: string, laying: Laying): Size {
  const { visible, children, placed, top } = laying;
  const nodes = children.get(container) ?? [];
  const graph = new Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 34, ranksep: 52, marginx: margin, marginy: margin });
  graph.setDefaultEdgeLabel(() => ({}));
  const sizes = new Map(nodes.map((node) => [node.id, sizeOf(node, laying)]));
  for (const [id, size] of sizes) graph.setNode(id, { ...size });
  for (const { from, to } of visible.edges)
    if (sizes.has(from) && sizes.has(to) && from !== to) graph.setEdge(from, to);
  layout(graph);
  for (const [id, size] of sizes) {
    const { x = 0, y = 0 } = graph.node(id) as { readonly x?: number; readonly y?: number };
    const below = container === top ? 0 : header;
    placed.set(id, { ...size, x: x - size.width / 2, y: y - size.height / 2 + below });
  }
  const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number };
  return { width: Math.max(width, 180), height: height + header };
}

/** Boxes of one size; what is open is as large as its inside. */
function sizeOf(node: GraphNode, laying: Laying): Size {
  if (laying.children.has(node.id)) return placeInside(node.id, laying);
  return closedSize(node);
}

export function closedSize({ type }: Pick<GraphNode, 'type'>): Size {
  if (type === 'start') return { width: 76, height: 30 };
  if (type === 'end') return { width: 150, height: 30 };
  return type === 'terminate' ? { width: 230, height: 92 } : { width: 200, height: 62 };
}
