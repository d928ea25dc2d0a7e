import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { faultyEngine } from '../../testing/faulty-engine.js';
import { defineRun } from '../define-run.js';
import type { RunContext } from '../run-context.js';

/** Ways to get a result without a commit of its own. */
const uncommitted: readonly (readonly [string, (context: RunContext) => Promise<unknown>])[] = [
  ['a record', (context) => context.record('judge', () => 1)],
  ['a unit', (context) => context.child('unit', async () => terminations.naturalEnd())],
];

describe('a result that waits for its commit', () => {
  it.each(uncommitted)('is not overtaken by %s that needs none', async (_what, overtake) => {
    const engine = faultyEngine(memoryEngine(), [{ point: 'flush', effect: 'delay' }]);
    const pair = defineRun({
      name: 'pair',
      run: async (context) => {
        const slow = async (): Promise<unknown> => {
          await context.step('slow', () => 1);
          return context.step('after slow', () => 1);
        };
        const quick = async (): Promise<unknown> => {
          // Nothing but this branch is under way when the outcome of the other one is written.
          for (let hop = 0; hop < 50; hop += 1) await undefined;
          await overtake(context);
          return context.step('after quick', () => 1);
        };
        await Promise.all([slow(), quick()]);
        await context.wait({ id: 'on', type: 'gate' });
        return terminations.naturalEnd();
      },
    });
    const paused = await pair.run(undefined, { engine });
    const steps = (await paused.journal()).filter(({ type }) => type === 'step_ended').map(({ key }) => key);
    expect(steps).toEqual(['slow', 'after slow', 'after quick']);
    const { termination } = await paused.resume({ answers: { on: { decision: 'approve' } } });
    expect(termination).toEqual({ kind: 'natural_end' });
  });
});

describe('a branch that awaits plain promises before its first operation', () => {
  it.each([1, 2, 5, 50, 5000])('takes the same ordinals on replay, after %i of them', async (hops) => {
    const pair = defineRun({
      name: 'pair',
      run: async (context) => {
        const atOnce = async (): Promise<void> => {
          for (const index of [1, 2, 3]) await context.step(`at once ${index}`, () => index);
        };
        const later = async (): Promise<void> => {
          for (let hop = 0; hop < hops; hop += 1) await undefined;
          await context.step('later', () => 1);
          await context.record('judge', () => 1);
        };
        await Promise.all([atOnce(), later()]);
        await context.wait({ id: 'on', type: 'gate' });
        return terminations.naturalEnd();
      },
    });
    const paused = await pair.run(undefined);
    const first = (await paused.journal()).find(({ key }) => key === 'later');
    expect(first?.ordinal).toBe(1);
    const { termination } = await paused.resume({ answers: { on: { decision: 'approve' } } });
    expect(termination).toEqual({ kind: 'natural_end' });
  });
});
