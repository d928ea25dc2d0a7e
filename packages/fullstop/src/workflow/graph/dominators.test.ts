import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dominators } from './dominators.js';

const graphs = fc
  .integer({ min: 1, max: 9 })
  .chain((size) =>
    fc.tuple(fc.constant(size), fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 25 })),
  );

/** Whether a node can still be reached when another one is taken away. */
function reaches(edges: readonly (readonly [number, number])[], node: number, without?: number): boolean {
  const seen = new Set(without === 0 ? [] : [0]);
  for (const from of seen) {
    for (const [source, target] of edges) if (source === from && target !== without) seen.add(target);
  }
  return seen.has(node);
}

it('a node dominates another exactly when taking it away cuts the other off', () => {
  fc.assert(
    fc.property(graphs, ([size, edges]) => {
      const next = (node: number): number[] => edges.filter(([from]) => from === node).map(([, to]) => to);
      const dominates = dominators({ size, next });
      for (let through = 0; through < size; through += 1) {
        for (let node = 0; node < size; node += 1) {
          const expected =
            reaches(edges, node) && reaches(edges, through) && (through === node || !reaches(edges, node, through));
          expect(dominates(through, node), `${through} ${node}`).toBe(expected);
        }
      }
    }),
    { numRuns: 500 },
  );
});
