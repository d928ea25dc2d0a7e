import { expect, test } from 'vitest';
import { type FrameworkScenes, type FrameworkTable, situationIds, situations } from './situation.js';

/** Lives through every situation of a framework and compares it with its column of the table. */
export function checkTable(table: FrameworkTable, scenes: FrameworkScenes): void {
  for (const id of situationIds) {
    const cell = table[id];
    const scene = scenes[id];
    if ('cannot' in cell) {
      test(`${situations[id]}: cannot happen`, () => {
        expect(scene, 'a situation that cannot happen has no scene').toBeUndefined();
        expect(cell.cannot).not.toBe('');
      });
      continue;
    }
    test(`${situations[id]}: ${cell.ending.kind}`, async () => {
      if (scene === undefined) throw new Error(`There is no scene for ${id}.`);
      const { termination, says } = await scene();
      expect(termination, JSON.stringify(termination)).toMatchObject(cell.ending);
      expect(says).toBe(cell.says);
    });
  }
}
