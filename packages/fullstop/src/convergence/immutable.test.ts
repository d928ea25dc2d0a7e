import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { checkSnapshot } from './facts/snapshot.js';
import { family } from './options/family.js';
import { gate } from './options/gate.js';
import { promotionGate } from './options/promotion-gate.js';
import { suggestor } from './options/suggestor.js';

interface Request {
  amount: number;
  lines: number[];
}

const request = (amount = 10) => fact('req', { amount, lines: [1, 2] }, { id: 'r' });

describe('facts cannot be changed', () => {
  it.each<[string, (payload: Request) => void]>([
    ['a field', (payload) => (payload.amount = 99)],
    ['a list inside', (payload) => payload.lines.push(3)],
  ])('by a suggestor: %s', async (_, change) => {
    const forging = suggestor('forging', {
      dependsOn: ['req'],
      execute: ({ facts }) => change(facts.latest<Request>('req')?.payload as Request),
    });
    const result = await defineConvergence({ suggestors: [forging] }).run({ facts: [request()] });
    expect(result.termination).toMatchObject({ kind: 'failed', error: { name: 'TypeError' }, origin: 'step' });
    expect(result.facts.latest('req')?.payload).toEqual({ amount: 10, lines: [1, 2] });
    expect(() => checkSnapshot(result.snapshot(), { root: result.root })).not.toThrow();
  });

  it('by whoever gave them, and what they gave stays theirs', async () => {
    const given = { amount: 10, lines: [1] };
    const late = suggestor('late', {
      dependsOn: ['req'],
      execute: ({ facts, propose }) => {
        given.amount = 99;
        given.lines.push(2);
        propose('seen', facts.latest<Request>('req')?.payload);
      },
    });
    const result = await defineConvergence({ suggestors: [late] }).run({
      facts: [{ key: 'req', id: 'r', payload: given }],
    });
    expect(given).toEqual({ amount: 99, lines: [1, 2] });
    expect(result.facts.latest('req')?.payload).toEqual({ amount: 10, lines: [1] });
    expect(result.facts.latest('seen')?.payload).toEqual({ amount: 10, lines: [1] });
  });

  it('by promotion gates, human gates, seeds and resumes', async () => {
    const seeded = { amount: 1 };
    const forging = promotionGate('forging', (candidate) => {
      (candidate as { confidence: number }).confidence = 0;
      return true;
    });
    const convergence = defineConvergence({
      suggestors: [],
      seed: () => [{ key: 'req', id: 'r', payload: seeded }],
      promotionGates: [forging],
    });
    const result = await convergence.run(undefined);
    expect(result.termination).toMatchObject({ kind: 'failed', error: { name: 'TypeError' } });
    seeded.amount = 2;
    expect(seeded).toEqual({ amount: 2 });

    const engine = memoryEngine();
    const asking = defineConvergence({ suggestors: [], gates: [gate({ key: 'req' })] });
    const paused = await asking.run({ facts: [request()] }, { engine });
    const value = { amount: 5, lines: [] as number[] };
    const late = { n: 1 };
    const done = await paused.resume({
      answers: { 'req/r@0': { decision: 'value', value } },
      facts: [{ key: 'late', payload: late }],
    });
    value.lines.push(7);
    late.n = 2;
    const again = await asking.result(done.runId, { engine });
    expect(again?.facts.latest('req')?.payload).toEqual({ amount: 5, lines: [] });
    expect(again?.facts.latest('late')?.payload).toEqual({ n: 1 });
    expect(again?.root).toBe(done.root);
  });

  it('as lists either', async () => {
    const sorting = suggestor('sorting', {
      dependsOn: ['n'],
      execute: ({ facts }) => {
        for (const list of [facts.all(), facts.get('n'), facts.get(family('n'))] as unknown[][]) {
          try {
            list.reverse();
            list.length = 0;
          } catch {
            // A frozen list says no; a list of one's own may be changed.
          }
        }
      },
    });
    const facts = [1, 2, 3].map((n) => fact('n', { n }, { id: `n${n}` }));
    const result = await defineConvergence({ suggestors: [sorting] }).run({ facts });
    expect(result.termination).toMatchObject({ kind: 'converged', facts: 3 });
    expect(result.facts.get('n').map(({ id }) => id)).toEqual(['n1', 'n2', 'n3']);
    expect(result.facts.all().map(({ clock }) => clock)).toEqual([1, 2, 3]);
  });
});

describe('propose', () => {
  it('says what its object holds at the call', async () => {
    const reusing = suggestor('reusing', {
      execute: ({ propose, cycle }) => {
        const row = { n: 0 };
        for (let n = 1; n <= 3 && cycle === 1; n += 1) {
          row.n = n;
          propose('row', row);
        }
      },
    });
    const { facts } = await defineConvergence({ suggestors: [reusing] }).run();
    expect(facts.get<{ n: number }>('row').map(({ payload }) => payload.n)).toEqual([1, 2, 3]);
  });

  it('is closed once the suggestor has returned', async () => {
    const thrown: unknown[] = [];
    let late: (() => void) | undefined;
    const early = suggestor('early', {
      accepts: ({ facts }) => facts.size === 0,
      execute: ({ propose }) => {
        propose('row', { n: 1 });
        late = () => propose('row', { n: 2 });
      },
    });
    const waker = suggestor('waker', {
      dependsOn: ['row'],
      execute: () => {
        try {
          late?.();
        } catch (error) {
          thrown.push(error);
        }
      },
    });
    const result = await defineConvergence({ suggestors: [early, waker] }).run();
    expect(thrown).toMatchObject([{ code: 'INVALID_OPTION' }]);
    expect(String(thrown[0])).toMatch(/early proposes after it has returned/);
    expect(result.facts.size).toBe(1);
    expect(JSON.stringify(await result.journal())).not.toContain('"n":2');
  });

  it('waits for a promise of any library', async () => {
    const slow = suggestor('slow', {
      accepts: ({ facts }) => facts.size === 0,
      execute: ({ propose }) => ({
        // biome-ignore lint/suspicious/noThenProperty: that is what is tested.
        then(resolve: (value: undefined) => void) {
          setTimeout(() => {
            propose('row', { n: 1 });
            resolve(undefined);
          }, 0);
        },
      }),
    });
    expect((await defineConvergence({ suggestors: [slow] }).run()).facts.size).toBe(1);
    const strict = family('row', {
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: () => ({
            // biome-ignore lint/suspicious/noThenProperty: that is what is tested.
            then: (resolve: (result: unknown) => void) => resolve({ issues: [{ message: 'never fits' }] }),
          }),
        },
      } as never,
    });
    const judged = await defineConvergence({ suggestors: [], families: [strict] }).run({
      facts: [fact('row', { n: 1 })],
    });
    expect(judged.rejections).toMatchObject([{ type: 'invalid', reason: expect.stringContaining('never fits') }]);
  });
});
