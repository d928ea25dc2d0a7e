import { expect, test } from 'vitest';
import {
  type Cell,
  cellsOf,
  type FrameworkScenes,
  type FrameworkTable,
  listOf,
  situationIds,
  situations,
} from './situation.js';

/** Lives through every situation of a framework and compares it with its column of the table. */
export function checkTable(table: FrameworkTable, scenes: FrameworkScenes): void {
  test('every cell has its scene', () => {
    const counts = situationIds.map((id) => [id, listOf(scenes[id] ?? []).length]);
    expect(counts).toEqual(situationIds.map((id) => [id, cellsOf(table, id).length]));
  });
  for (const id of situationIds) {
    const lived = listOf(scenes[id] ?? []);
    for (const [index, cell] of cellsOf(table, id).entries()) {
      test(nameOf(situations[id], cell), async () => {
        const { termination, says } = (await lived[index]?.()) ?? {};
        expect(termination, JSON.stringify(termination)).toMatchObject(cell.ending);
        expect(says).toBe(cell.says);
      });
    }
  }
}

function nameOf(situation: string, { how, cannot, ending }: Cell): string {
  const way = how === undefined ? '' : ` (${how})`;
  return `${situation}${way}: ${cannot === undefined ? '' : 'cannot happen, instead '}${ending.kind}`;
}
