import type { JsonValue } from 'fullstop';

/** Something that is drawn as a box: a step, a unit, a tool, a suggestor, a beginning or an end. */
export interface GraphNode {
  readonly id: string;
  /** The path of its unit without the marks of visits; that of the unit around it where it has none of its own. */
  readonly path: string;
  readonly name: string;
  /** The type of a step of a workflow, or `model`, `tool`, `unit`, `step`, `suggestor`, `facts`, `start`, `end`. */
  readonly type: string;
  /** The node that it is drawn inside. */
  readonly parent?: string;
  readonly label: string;
  /** Of a step that ends its workflow; the reason as it was rendered, or else as the file has it. */
  readonly terminate?: { readonly status: string; readonly reason: string; readonly rendered: boolean };
  /** Of a group; how many members there are is not known before a for_each group has begun. */
  readonly group?: { readonly done: number; readonly total?: number };
  /** Its latest output, on one line. */
  readonly output?: string;
}

/** A way from one node to another. */
export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  /** When it is taken, as the file says; absent where it always is. */
  readonly condition?: string;
  /** The entries with which it was taken. */
  readonly taken: readonly number[];
  /** The values that decided for it last. */
  readonly values?: Readonly<Record<string, JsonValue>>;
  /** True for a way that failures take. */
  readonly error?: boolean;
}

/** A run as boxes and ways between them; how far each had come at some entry is in the transitions. */
export interface RunGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** Collects nodes and edges, each once. */
export class GraphBuilder {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #edges = new Map<string, GraphEdge & { readonly taken: number[] }>();

  node(node: GraphNode): void {
    if (!this.#nodes.has(node.id)) this.#nodes.set(node.id, node);
  }

  has(id: string): boolean {
    return this.#nodes.has(id);
  }

  /** Adds a way, or the entries with which a known one was taken again. */
  edge(edge: GraphEdge): void {
    const known = this.#edges.get(edge.id);
    if (known === undefined) this.#edges.set(edge.id, { ...edge, taken: [...edge.taken] });
    else for (const seq of edge.taken) known.taken.push(seq);
  }

  build(): RunGraph {
    const edges = [...this.#edges.values()].filter(({ from, to }) => this.has(from) && this.has(to));
    return { nodes: [...this.#nodes.values()], edges };
  }
}
