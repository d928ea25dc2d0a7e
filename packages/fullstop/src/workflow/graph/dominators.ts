/** A graph of numbered nodes, where 0 is the start. */
export interface NumberedGraph {
  readonly size: number;
  readonly next: (node: number) => readonly number[];
}

/** Whether every way from the start to a node leads through another one; false for nodes that cannot be reached. */
export type Dominates = (through: number, node: number) => boolean;

/** Finds dominators with the iterative method of Cooper, Harvey and Kennedy. */
export function dominators(graph: NumberedGraph): Dominates {
  const order = reversePostorder(graph);
  const rank = new Int32Array(graph.size).fill(-1);
  for (const [index, node] of order.entries()) rank[node] = index;
  const parents = parentsByRank(graph, order, rank);
  const immediate = immediateDominators(parents);
  return (through, node) => {
    const target = rank[through] as number;
    let current = rank[node] as number;
    if (target < 0 || current < 0) return false;
    while (current > target) current = immediate[current] as number;
    return current === target;
  };
}

function reversePostorder({ size, next }: NumberedGraph): number[] {
  const seen = new Uint8Array(size);
  const finished: number[] = [];
  const open = [{ node: 0, rest: [...next(0)] }];
  seen[0] = 1;
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const child = top.rest.pop();
    if (child === undefined) {
      finished.push(top.node);
      open.pop();
    } else if (seen[child] === 0) {
      seen[child] = 1;
      open.push({ node: child, rest: [...next(child)] });
    }
  }
  return finished.reverse();
}

function parentsByRank({ next }: NumberedGraph, order: readonly number[], rank: Int32Array): number[][] {
  const parents = order.map((): number[] => []);
  for (const [index, node] of order.entries()) {
    for (const child of next(node)) parents[rank[child] as number]?.push(index);
  }
  return parents;
}

function immediateDominators(parents: readonly (readonly number[])[]): Int32Array {
  const immediate = new Int32Array(parents.length).fill(-1);
  immediate[0] = 0;
  let changed = true;
  while (changed) {
    changed = false;
    for (let index = 1; index < parents.length; index += 1) {
      const known = (parents[index] as readonly number[]).filter((parent) => immediate[parent] !== -1);
      const common = known.reduce((left, right) => meeting(immediate, left, right));
      if (immediate[index] === common) continue;
      immediate[index] = common;
      changed = true;
    }
  }
  return immediate;
}

/** The nearest node that is above both. */
function meeting(immediate: Int32Array, left: number, right: number): number {
  let [one, other] = [left, right];
  while (one !== other) {
    if (one > other) one = immediate[one] as number;
    else other = immediate[other] as number;
  }
  return one;
}
