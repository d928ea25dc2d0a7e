import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plannedPhase, plannedStage } from './build.js';
import type { PlannedItem } from './machine/plan.js';
import { pipeline } from './pipeline.js';
import { addItem, emptyItems, type PlannedItems } from './planned-items.js';

const stage = (name: string): PlannedItem => plannedStage({ name, work: () => 1, options: {} });
const phase = (name: string, stages: readonly string[]): PlannedItem =>
  plannedPhase({
    name,
    options: {},
    build: (built) => stages.reduce((sofar, each) => sofar.stage(each, () => 1, {}), built),
  });

/** The same rule in the plain way: looks at all items every time. */
function isRefused(items: readonly PlannedItem[], item: PlannedItem): boolean {
  const namesOf = (each: PlannedItem): readonly string[] =>
    each.type === 'stage' ? [each.name] : each.stages.map(({ name }) => name);
  const own = namesOf(item);
  if (new Set(own).size < own.length) return true;
  if (items.some((each) => namesOf(each).some((name) => own.includes(name)))) return true;
  return items.some(({ name, type }) => name === item.name && type !== item.type);
}

describe('the items of a pipeline', () => {
  it('are its own, whatever else continues the same beginning', async () => {
    const base = pipeline('p').stage('a', () => 1);
    const one = base.stage('b', ({ a }) => a.output + 1);
    const other = base.stage('b', ({ a }) => a.output + 10).stage('c', ({ b }) => b.output + 1);
    expect([base, one, other].map(({ stageNames }) => stageNames)).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c']]);
    const ended = await Promise.all([base.run(), one.run(), other.run()]);
    expect(ended.map(({ output }) => output)).toEqual([1, 2, 12]);
  });

  it('have names that are refused exactly when an item before them has them, in every branch', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const item = fc.oneof(
      name.map(stage),
      fc.record({ name, stages: fc.array(name, { maxLength: 2 }) }).map((each) => phase(each.name, each.stages)),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ from: fc.nat(), item }), { maxLength: 12 }), (additions) => {
        const branches: { readonly planned: PlannedItems; readonly items: readonly PlannedItem[] }[] = [
          { planned: emptyItems(), items: [] },
        ];
        for (const { from, item: added } of additions) {
          const { planned, items } = branches[from % branches.length] as (typeof branches)[number];
          const add = (): number => branches.push({ planned: addItem(planned, added), items: [...items, added] });
          if (isRefused(items, added)) expect(add).toThrow('is taken in this pipeline');
          else add();
        }
        for (const { planned, items } of branches)
          expect(planned.log.items.slice(0, planned.log.length)).toEqual(items);
      }),
    );
  });
});
