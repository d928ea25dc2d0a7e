export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

export interface PlacedNode {
  readonly name: string;
  /** Its row, counted from the top. */
  readonly rank: number;
  /** Which place in its row. */
  readonly place: number;
}

/** Puts the nodes of a graph into rows: each below the nearest node that leads to it, near those it is connected with. */
export function layOut(names: readonly string[], edges: readonly GraphEdge[], entry: string): readonly PlacedNode[] {
  const ranks = ranksOf(names, edges, entry);
  const rows: string[][] = [];
  for (const [name, rank] of ranks) {
    rows[rank] ??= [];
    rows[rank].push(name);
  }
  const placed = new Map<string, PlacedNode>();
  for (const [rank, row] of rows.entries()) {
    const wish = (name: string): number => {
      const above = edges.flatMap(({ from, to }) => (to === name ? (placed.get(from) ?? []) : []));
      return above.length === 0 ? 0 : above.reduce((sum, { place }) => sum + place, 0) / above.length;
    };
    const sorted = [...(row ?? [])].sort((left, right) => wish(left) - wish(right));
    for (const [place, name] of sorted.entries()) placed.set(name, { name, rank, place });
  }
  return [...placed.values()];
}

/** The number of steps from the entry; what cannot be reached stands below everything. */
function ranksOf(names: readonly string[], edges: readonly GraphEdge[], entry: string): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>([[entry, 0]]);
  for (const name of ranks.keys()) {
    for (const { from, to } of edges) if (from === name && !ranks.has(to)) ranks.set(to, (ranks.get(name) ?? 0) + 1);
  }
  const last = Math.max(...ranks.values()) + 1;
  for (const name of names) if (!ranks.has(name)) ranks.set(name, last);
  return ranks;
}
