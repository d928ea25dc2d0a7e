import { describe, expect, it } from 'vitest';
import { approve, deny } from '../agent/options/directive.js';
import { converge as convergeDialect } from '../dialects/converge.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { category } from '../termination/classify.js';
import { terminations } from '../termination/terminations.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { criterion } from './options/criterion.js';
import { gate } from './options/gate.js';
import { acceptance, semantic, structural } from './options/invariant.js';
import { suggestor } from './options/suggestor.js';

// Twenty behaviours of Converge that are easily missed. Each test says what we do: the same, or something else on purpose.

const seed = suggestor('seed', {
  accepts: ({ facts }) => !facts.has('seed'),
  execute: ({ propose }) => propose('seed', { text: 'go' }, { id: 's' }),
});
const noted = (calls: string[], name: string, dependsOn: readonly string[] = []) =>
  suggestor(name, {
    dependsOn,
    accepts: ({ cycle }) => {
      calls.push(`${name}@${cycle}`);
      return false;
    },
    execute: () => undefined,
  });

describe('the twenty behaviours of Converge that are easily missed', () => {
  it('1. being cancelled is a category of its own, not a success; gates and interventions are paused', () => {
    expect(category(terminations.cancelled({ by: 'caller' }))).toBe('cancelled');
    expect(category(terminations.gatePending({ gates: [] }))).toBe('paused');
    expect(category(terminations.humanInterventionRequired({ criteria: [], approvalRefs: [] }))).toBe('paused');
  });

  it('2. a refusal names the suggestor, as there', async () => {
    const shy = suggestor('shy', { execute: ({ refuse }) => refuse('no') });
    expect((await defineConvergence({ suggestors: [shy] }).run()).summary).toBe('The suggestor shy refused: no.');
  });

  it('3. in their words, endings without fields are bare strings and the others objects with one key', () => {
    expect(convergeDialect.encode(terminations.converged({ cycles: 1, facts: 1 })).value).toBe('Converged');
    expect(convergeDialect.encode(terminations.criteriaMet({ criteria: ['g'] })).value).toEqual({
      CriteriaMet: { criteria: ['g'] },
    });
  });

  it('4. a fixed point needs nobody awake or a merge that added nothing; only cycles with suggestors at work count', async () => {
    expect((await defineConvergence({ suggestors: [] }).run()).termination).toMatchObject({ cycles: 0 });
    expect((await defineConvergence({ suggestors: [seed] }).run()).termination).toMatchObject({ cycles: 1 });
    const always = suggestor('always', { execute: ({ propose }) => propose('x', { n: 1 }) });
    expect((await defineConvergence({ suggestors: [always] }).run()).termination).toMatchObject({
      cycles: 2,
      facts: 1,
    });
  });

  it('5. N cycles may be worked and N facts held; a run that is done within them is never reported as having hit them', async () => {
    const exact = defineConvergence({ suggestors: [seed], budgets: { cycles: 1, facts: 1 } });
    expect((await exact.run()).termination).toEqual({ kind: 'converged', cycles: 1, facts: 1 });
    const inputs = [fact('x', { n: 1 }), fact('x', { n: 2 })];
    const tooMany = await defineConvergence({ suggestors: [], budgets: { facts: 1 } }).run({ facts: inputs });
    expect(tooMany.termination).toEqual({ kind: 'fact_budget', limit: 1, used: 1 });
  });

  it('6. acceptance is asked on both ways to rest, semantic rules only after merges that added something', async () => {
    const asked: string[] = [];
    const note = (name: string) => () => {
      asked.push(name);
      return true;
    };
    const invariants = [semantic('m', note('semantic')), acceptance('a', note('acceptance'))];
    await defineConvergence({ suggestors: [seed], invariants }).run();
    expect(asked).toEqual(['semantic', 'semantic', 'acceptance']);
    asked.length = 0;
    const always = suggestor('always', { execute: ({ propose }) => propose('x', { n: 1 }) });
    await defineConvergence({ suggestors: [always], invariants }).run();
    expect(asked).toEqual(['semantic', 'semantic', 'acceptance']);
  });

  it('7. without facts only suggestors without dependencies are asked, and dependencies are read once', async () => {
    const calls: string[] = [];
    const dependsOn = ['never'];
    const dependent = noted(calls, 'dependent', dependsOn);
    dependsOn[0] = 'seed';
    await defineConvergence({ suggestors: [noted(calls, 'free'), dependent, seed] }).run();
    expect(calls).toEqual(['free@0', 'free@1']);
  });

  it('8. accepts is asked in every cycle without dependencies, else only when a dependency has news', async () => {
    const calls: string[] = [];
    const later = suggestor('later', {
      dependsOn: ['seed'],
      execute: ({ propose }) => propose('late', { n: 1 }),
    });
    await defineConvergence({ suggestors: [seed, later, noted(calls, 'free'), noted(calls, 'seeds', ['seed'])] }).run();
    expect(calls).toEqual(['free@0', 'free@1', 'seeds@1', 'free@2']);
  });

  it('9. all suggestors of a cycle see the facts from before the cycle', async () => {
    const seen: number[] = [];
    const look = (name: string) =>
      suggestor(name, {
        accepts: ({ cycle }) => cycle === 0,
        execute: ({ facts, propose }) => {
          seen.push(facts.size);
          propose('x', { name });
        },
      });
    await defineConvergence({ suggestors: [look('a'), look('b')], concurrency: 1 }).run();
    expect(seen).toEqual([0, 0]);
  });

  it('10. the merge goes by registration and then by proposal, whoever is done first', async () => {
    const late = suggestor('late', {
      accepts: ({ cycle }) => cycle === 0,
      execute: async ({ propose }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        propose('x', { by: 'late' }, { id: 'l' });
      },
    });
    const early = suggestor('early', {
      accepts: ({ cycle }) => cycle === 0,
      execute: ({ propose }) => propose('x', { by: 'early' }, { id: 'e' }),
    });
    const { facts } = await defineConvergence({ suggestors: [late, early] }).run();
    expect(facts.all().map(({ id }) => id)).toEqual(['l', 'e']);
  });

  it('11. a rejection is kept with its reason and does not stop the run; a conflict neither, unless it is declared so', async () => {
    const facts = [fact('x', { n: 1 }, { id: 'a' }), fact('x', { n: 2 }, { id: 'a' })];
    const goesOn = await defineConvergence({ suggestors: [] }).run({ facts });
    expect(goesOn.termination.kind).toBe('converged');
    expect(goesOn.rejections).toMatchObject([
      { ref: 'x/a', type: 'conflict', existing: { n: 1 }, payload: { n: 2 }, by: 'input' },
    ]);
    const ends = await defineConvergence({ suggestors: [], onConflict: 'end' }).run({ facts });
    expect(ends.termination).toEqual({
      kind: 'promotion_rejected',
      proposalId: 'x/a',
      reason: 'the id x/a is taken: {"n":1} is there, {"n":2} was proposed',
    });
  });

  it('12. the same id and content again changes nothing, whoever proposes it and in whichever cycle', async () => {
    const again = (name: string) => suggestor(name, { execute: ({ propose }) => propose('x', { n: 1 }, { id: 'a' }) });
    const result = await defineConvergence({ suggestors: [again('one'), again('two')] }).run();
    expect(result.termination).toEqual({ kind: 'converged', cycles: 2, facts: 1 });
    expect(result.facts.all()).toMatchObject([{ by: 'one', cycle: 1, clock: 1 }]);
    expect(result.rejections).toEqual([]);
  });

  it('13. a new fact touches no other proposal under its key', async () => {
    const inputs = ['a', 'b', 'c'].map((id) => fact('x', { id }, { id }));
    const convergence = defineConvergence({ suggestors: [], gates: [gate({ when: ({ id }) => id !== 'b' })] });
    const paused = await convergence.run({ facts: inputs });
    expect(paused.facts.all().map(({ id }) => id)).toEqual(['b']);
    const done = await paused.resume({ answers: { 'x/a@0': approve(), 'x/c@0': approve() } });
    expect(done.facts.all().map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  });

  it('14. a blank provenance costs one proposal, not the cycle, and inputs are not exempt', async () => {
    const careless = suggestor('careless', {
      accepts: ({ cycle }) => cycle === 0,
      execute: ({ propose }) => {
        propose('x', { n: 1 }, { id: 'a', provenance: ' ' });
        propose('x', { n: 2 }, { id: 'b' });
      },
    });
    const result = await defineConvergence({ suggestors: [careless] }).run();
    expect(result.facts.all()).toMatchObject([{ id: 'b', provenance: 'careless' }]);
    expect(result.rejections).toMatchObject([{ ref: 'x/a', type: 'invalid' }]);
    expect(() => fact('x', { n: 1 }, { provenance: '' })).toThrow(/provenance is blank/);
  });

  it('15. inputs are promoted in cycle 0, and facts from before wake their suggestors too', async () => {
    const calls: string[] = [];
    const convergence = defineConvergence({ suggestors: [noted(calls, 'old', ['old']), noted(calls, 'new', ['new'])] });
    const before = await convergence.run({ facts: [fact('old', { n: 1 })] });
    calls.length = 0;
    const after = await convergence.run({ snapshot: before.snapshot(), facts: [fact('new', { n: 1 })] });
    expect(after.facts.all().map(({ key, cycle }) => [key, cycle])).toEqual([
      ['old', 0],
      ['new', 0],
    ]);
    expect(calls).toEqual(['old@0', 'new@0']);
  });

  it('16. a violation adds no fact of its own: it is in the ending, with the facts that break the rule', async () => {
    const invariants = [structural('none', (facts) => ({ reason: 'one', facts: facts.all().map(({ ref }) => ref) }))];
    const result = await defineConvergence({ suggestors: [], invariants }).run({
      facts: [fact('x', { n: 1 }, { id: 'a' })],
    });
    expect(result.termination).toMatchObject({ kind: 'invariant_violated', facts: ['x/a'] });
    expect(result.facts.size).toBe(1);
  });

  it('17. criteria_met lists the required ids in their order; without an intent the run ends as converged', async () => {
    const criteria = [
      criterion('b', () => true),
      criterion('opt', () => true, { required: false }),
      criterion('a', () => true),
    ];
    const result = await defineConvergence({ suggestors: [seed], intent: { criteria } }).run();
    expect(result.termination).toEqual({ kind: 'criteria_met', criteria: ['b', 'a'] });
  });

  it('18. a confidence limit includes itself, confidence is 1 unless given, and a limit of 1 gates everything', async () => {
    const gated = defineConvergence({ suggestors: [], gates: [gate({ confidenceAtMost: 1 })] });
    expect((await gated.run({ facts: [fact('x', { n: 1 })] })).termination.kind).toBe('gate_pending');
    const below = defineConvergence({ suggestors: [], gates: [gate({ confidenceAtMost: 0.9 })] });
    expect((await below.run({ facts: [fact('x', { n: 1 })] })).termination.kind).toBe('converged');
  });

  it('19. a wrong gate id is refused and the pause remains; what was rejected stays so for the run, not for the engine', async () => {
    const convergence = defineConvergence({ suggestors: [seed], gates: [gate({ key: 'seed' })] });
    const engine = memoryEngine();
    const paused = await convergence.run(undefined, { engine, runId: 'one' });
    await expect(paused.resume({ answers: { other: approve() } })).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    const refused = await paused.resume({ answers: { 'seed/s@1': deny() } });
    expect(refused.termination).toEqual({ kind: 'converged', cycles: 2, facts: 0 });
    expect(refused.rejections.map(({ type }) => type)).toEqual(['human', 'refused_before']);
    const other = await convergence.run(undefined, { engine, runId: 'two' });
    expect(other.termination.kind).toBe('gate_pending');
  });

  it('20. a definition keeps no state: runs do not change its budgets, and each has observers of its own', async () => {
    const convergence = defineConvergence({ suggestors: [seed], budgets: { cycles: 1 } });
    const counts = [0, 0];
    await Promise.all(
      counts.map((_, index) => {
        const onEntry = (): void => {
          counts[index]! += 1;
        };
        return convergence.run(undefined, { onEntry });
      }),
    );
    expect(counts[0]).toBe(counts[1]);
    expect(counts[0]).toBeGreaterThan(0);
    expect((await convergence.run()).termination).toEqual({ kind: 'converged', cycles: 1, facts: 1 });
  });
});
