import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { gate } from './options/gate.js';
import { semantic } from './options/invariant.js';
import { promotionGate } from './options/promotion-gate.js';
import { suggestor } from './options/suggestor.js';

const keys = ['a', 'b', 'c', 'd'] as const;

/** The behaviour of a random suggestor: waits so long, and proposes these contents under these keys. */
const behaviour = fc.record({
  dependsOn: fc.subarray([...keys]),
  proposes: fc.array(fc.record({ key: fc.constantFrom(...keys), id: fc.nat({ max: 4 }), n: fc.nat({ max: 2 }) }), {
    maxLength: 3,
  }),
  refusesIn: fc.option(fc.nat({ max: 8 }), { nil: undefined }),
});

type Behaviour = typeof behaviour extends fc.Arbitrary<infer T> ? T : never;

function build(
  behaviours: readonly Behaviour[],
  delayOf: (cycle: number, index: number) => number,
  concurrency: number,
) {
  return defineConvergence({
    concurrency,
    facts: [fact('a', { n: 0 }, { id: 'start' }), fact('b', { n: 1 }, { id: 'start' })],
    budgets: { cycles: 6, facts: 30 },
    promotionGates: [
      promotionGate(
        'no twos under d',
        ({ key, payload }) => key !== 'd' || (payload as { n: number }).n !== 2 || 'a two',
      ),
    ],
    invariants: [semantic('few', (facts) => facts.size < 25)],
    suggestors: behaviours.map(({ dependsOn, proposes, refusesIn }, index) =>
      suggestor(`s${index}`, {
        dependsOn,
        execute: async ({ propose, clock, cycle, refuse, facts }) => {
          const milliseconds = delayOf(cycle, index);
          if (milliseconds > 0)
            await new Promise<void>((resolve) => void clock.callAt(clock.now() + milliseconds, resolve));
          if (cycle === refusesIn) refuse('enough');
          for (const { key, id, n } of proposes) propose(key, { n, seen: facts.size }, { id: `i${id}.${cycle}` });
        },
      }),
    ),
  });
}

describe('determinism', () => {
  it('returns the same facts, root and ending whoever finishes first and however many work at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviour, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat({ max: 50 }), { minLength: 30, maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        async (behaviours, delays, concurrency) => {
          const calm = await build(behaviours, () => 0, 10).run(undefined, { clock: simulatedClock() });
          const delayOf = (cycle: number, index: number): number => delays[(cycle * 5 + index) % delays.length] ?? 0;
          const noisy = await build(behaviours, delayOf, concurrency).run(undefined, { clock: simulatedClock() });
          expect(noisy.facts.all()).toEqual(calm.facts.all());
          expect(noisy.root).toBe(calm.root);
          expect(noisy.termination).toEqual(calm.termination);
          expect(noisy.rejections).toEqual(calm.rejections);
        },
      ),
      { numRuns: 100 },
    );
  }, 300_000);

  it('returns the same facts, root and ending when the journal is folded, replayed at every step or imported elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 4 }), async (behaviours) => {
        const convergence = build(behaviours, () => 0, 10);
        const engine = memoryEngine({ clock: simulatedClock() });
        const live = await convergence.run(undefined, { engine, runId: 'r' });
        const elsewhere = memoryEngine();
        const text = JSON.stringify(await engine.journal('r'));
        await elsewhere.importRun(JSON.parse(text));
        const folded = await convergence.result('r', { engine: elsewhere });
        const dropped = await convergence.run(undefined, { alwaysReplay: true, clock: simulatedClock() });
        for (const other of [folded, dropped]) {
          expect(other?.facts.all()).toEqual(live.facts.all());
          expect(other?.root).toBe(live.root);
          expect(other?.termination).toEqual(live.termination);
          expect(other?.rejections).toEqual(live.rejections);
        }
      }),
      { numRuns: 60 },
    );
  }, 300_000);

  it('merges by registration, then by the order of the proposals, with all suggestors on one snapshot', async () => {
    const seen: number[] = [];
    const propose = (name: string, delay: number) =>
      suggestor(name, {
        accepts: ({ cycle }) => cycle === 0,
        execute: async ({ facts, propose: add, clock }) => {
          await new Promise<void>((resolve) => void clock.callAt(clock.now() + delay, resolve));
          seen.push(facts.size);
          add('x', { name, n: 2 }, { id: `${name}.2` });
          add('x', { name, n: 1 }, { id: `${name}.1` });
        },
      });
    const convergence = defineConvergence({ suggestors: [propose('slow', 90), propose('fast', 1)] });
    const { facts } = await convergence.run(undefined, { clock: simulatedClock() });
    expect(facts.get('x').map(({ id }) => id)).toEqual(['slow.2', 'slow.1', 'fast.2', 'fast.1']);
    expect(facts.all().map(({ clock }) => clock)).toEqual([1, 2, 3, 4]);
    expect(seen).toEqual([0, 0]);
  });

  it('merges what people let pass in the order of the proposals, whoever answers first', async () => {
    const convergence = defineConvergence({
      facts: ['one', 'two', 'three'].map((id) => fact('x', { id }, { id })),
      suggestors: [],
      gates: [gate({ key: 'x' })],
    });
    const approve = { decision: 'approve' } as const;
    const engine = memoryEngine();
    let result = await convergence.run(undefined, { engine, runId: 'r' });
    for (const id of ['three', 'one', 'two']) result = await result.resume({ answers: { [`x/${id}@0`]: approve } });
    expect(result.termination.kind).toBe('converged');
    expect(result.facts.all().map(({ id }) => id)).toEqual(['one', 'two', 'three']);
  });
});
