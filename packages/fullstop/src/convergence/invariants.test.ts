import { describe, expect, it } from 'vitest';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { criterion } from './options/criterion.js';
import { acceptance, semantic, structural } from './options/invariant.js';
import { suggestor } from './options/suggestor.js';

const price = (n: number, id = `p${n}`) => fact('price', { n }, { id });
/** Proposes a price in the first cycle. */
const pricer = (n: number) =>
  suggestor('pricer', {
    accepts: ({ facts }) => !facts.has('price'),
    execute: ({ propose }) => propose('price', { n }, { id: 'first' }),
  });
const dear = (facts: Parameters<Parameters<typeof semantic>[1]>[0]) =>
  facts
    .get<{ n: number }>('price')
    .filter(({ payload }) => payload.n > 100)
    // Facts, or their references.
    .map((each) => ({ reason: 'too expensive', facts: [each.payload.n > 600 ? each : each.ref] }));

describe('invariants', () => {
  it('reports every violation with its facts: the first as the ending, the others beside it', async () => {
    const { termination, also, facts } = await defineConvergence({
      suggestors: [],
      invariants: [semantic('cheap', dear), structural('few', (all) => all.size < 2 || 'too many')],
    }).run({ facts: [price(500), price(50), price(900)] });
    expect([termination, ...also]).toEqual([
      { kind: 'invariant_violated', class: 'structural', name: 'few', reason: 'too many', facts: [] },
      { kind: 'invariant_violated', class: 'semantic', name: 'cheap', reason: 'too expensive', facts: ['price/p500'] },
      { kind: 'invariant_violated', class: 'semantic', name: 'cheap', reason: 'too expensive', facts: ['price/p900'] },
    ]);
    expect(facts.size).toBe(3);
  });

  it('checks the input, structural rules after quiet merges too, acceptance only when done is claimed', async () => {
    const asked: string[] = [];
    const note = (name: string) => () => {
      asked.push(name);
      return true;
    };
    const again = suggestor('again', { execute: ({ propose }) => propose('price', { n: 1 }, { id: 'only' }) });
    await defineConvergence({
      suggestors: [again],
      invariants: [
        structural('s', note('structural')),
        semantic('m', note('semantic')),
        acceptance('a', note('acceptance')),
      ],
    }).run();
    // Input, the cycle that brought a fact, the cycle that brought nothing.
    expect(asked).toEqual(['structural', 'semantic', 'structural', 'semantic', 'structural', 'acceptance']);
  });

  it('lets suggestors repair a violation that became a fact', async () => {
    const repairer = suggestor('repairer', {
      dependsOn: ['violation'],
      execute: ({ facts, propose }) => {
        const violation = facts.latest<{ facts: string[] }>('violation');
        propose('price', { n: 80 }, { id: 'second', because: violation === undefined ? [] : [violation] });
      },
    });
    const latestIsCheap = semantic(
      'latest is cheap',
      (facts) => {
        const latest = facts.latest<{ n: number }>('price');
        return latest === undefined || latest.payload.n <= 100 || { reason: 'too expensive', facts: [latest.ref] };
      },
      { repairs: 2 },
    );
    const result = await defineConvergence({ suggestors: [pricer(500), repairer], invariants: [latestIsCheap] }).run();
    expect(result.termination).toEqual({ kind: 'converged', cycles: 2, facts: 3 });
    expect(result.facts.get('violation')).toMatchObject([
      {
        id: 'latest-is-cheap.1',
        by: 'engine',
        payload: { invariant: 'latest is cheap', reasons: ['too expensive'], facts: ['price/first'], attempt: 1 },
      },
    ]);
    expect(result.explain('price/second')?.because[0]?.because[0]?.fact.ref).toBe('price/first');
  });

  it('ends when nobody repairs a violation, and when repairs are used up', async () => {
    const invariants = [semantic('cheap', dear, { repairs: 2 })];
    const nobody = await defineConvergence({ suggestors: [pricer(500)], invariants }).run();
    expect(nobody.termination).toMatchObject({ kind: 'invariant_violated', class: 'semantic', facts: ['price/first'] });
    const clumsy = suggestor('clumsy', {
      dependsOn: ['violation'],
      execute: ({ cycle, propose }) => propose('price', { n: 200 + cycle }),
    });
    const never = await defineConvergence({ suggestors: [pricer(500), clumsy], invariants }).run();
    expect(never.termination).toMatchObject({ kind: 'invariant_violated', class: 'semantic' });
    expect(never.facts.get('violation')).toHaveLength(2);
  });

  it('gives every repairable rule a fact of its own, however alike their names are, after a snapshot too', async () => {
    const seen: string[][] = [];
    const watcher = suggestor('watcher', {
      dependsOn: ['violation'],
      execute: ({ facts }) => {
        seen.push(facts.get<{ invariant: string }>('violation').map(({ id, payload }) => `${id} ${payload.invariant}`));
      },
    });
    const rule = (name: string) => semantic(name, (facts) => facts.has('done') || 'not done', { repairs: 1 });
    const convergence = defineConvergence({ suggestors: [watcher], invariants: [rule('a b'), rule('a-b')] });
    const first = await convergence.run({ facts: [price(1)] });
    expect(seen).toEqual([['a-b.1 a b', 'a-b.2 a-b']]);
    const second = await convergence.run({ snapshot: first.snapshot(), facts: [price(2)] });
    expect(second.facts.get('violation').map(({ id }) => id)).toEqual(['a-b.1', 'a-b.2', 'a-b.3', 'a-b.4']);
    expect(second.facts.find('violation/a-b.3')?.payload).toMatchObject({ invariant: 'a b', attempt: 1 });
  });

  it('makes no more facts of violations than the budget has room for', async () => {
    const convergence = defineConvergence({
      suggestors: [],
      invariants: [semantic('cheap', dear, { repairs: 1 })],
      budgets: { facts: 2 },
    });
    const full = await convergence.run({ facts: [price(500), price(50)] });
    expect(full.termination).toMatchObject({ kind: 'invariant_violated', name: 'cheap', facts: ['price/p500'] });
    expect(full.facts.size).toBe(2);
    const roomy = await full.resume({ budgets: { facts: 3 } });
    expect(roomy.facts.get('violation')).toHaveLength(1);
  });

  it('lets no criterion be met before a violation is repaired', async () => {
    const repairer = suggestor('repairer', {
      dependsOn: ['violation'],
      execute: ({ propose }) => propose('signature', { by: 'maria' }),
    });
    const { termination, facts } = await defineConvergence({
      suggestors: [repairer],
      invariants: [semantic('signed', (all) => all.has('signature') || 'no signature', { repairs: 1 })],
      intent: { criteria: [criterion('priced', (view) => view.facts.has('price'))], evaluate: 'every_cycle' },
    }).run({ facts: [price(1)] });
    expect(termination).toEqual({ kind: 'criteria_met', criteria: ['priced'] });
    expect(facts.all().map(({ key }) => key)).toEqual(['price', 'violation', 'signature']);
  });

  it('resumes with facts that put things right, and ends the same without', async () => {
    const convergence = defineConvergence({
      suggestors: [],
      invariants: [semantic('signed', (facts) => facts.has('signature') || 'no signature')],
    });
    const first = await convergence.run({ facts: [price(1)] });
    expect(first.termination.kind).toBe('invariant_violated');
    const second = await first.resume();
    expect(second.termination).toEqual(first.termination);
    const third = await second.resume({ facts: [fact('signature', { by: 'maria' })] });
    expect(third.termination).toEqual({ kind: 'converged', cycles: 0, facts: 2 });
  });

  it('ends as failed when a rule throws, with nothing of the cycle promoted, and merges it on resume', async () => {
    let broken = true;
    const convergence = defineConvergence({
      suggestors: [pricer(5)],
      invariants: [
        structural('shaky', (facts) => {
          if (broken && facts.size > 0) throw new TypeError('oops');
          return true;
        }),
      ],
    });
    const first = await convergence.run();
    expect(first.termination).toMatchObject({ kind: 'failed', origin: 'loop', errorClass: 'internal' });
    expect(first.facts.size).toBe(0);
    broken = false;
    const second = await first.resume();
    expect(second.termination).toEqual({ kind: 'converged', cycles: 1, facts: 1 });
    expect(second.facts.all()[0]).toMatchObject({ cycle: 1, clock: 1 });
  });

  it("cannot be forged: the facts of violations are the run's own", async () => {
    const forging = suggestor('forging', {
      accepts: ({ cycle }) => cycle === 0,
      execute: ({ propose }) => propose('violation', { invariant: 'sum', attempt: 1 }, { id: 'sum.1' }),
    });
    const forged = await defineConvergence({ suggestors: [forging] }).run();
    expect(forged.facts.has('violation')).toBe(false);
    expect(forged.rejections).toMatchObject([
      { type: 'invalid', by: 'forging', reason: expect.stringContaining('for what the run itself finds out') },
    ]);
    expect(() => fact('violation', { invariant: 'sum' })).toThrow(/for what the run itself finds out/);
    await expect(
      defineConvergence({ suggestors: [] }).run({ facts: [{ key: 'violation', payload: { n: 1 } }] }),
    ).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});
