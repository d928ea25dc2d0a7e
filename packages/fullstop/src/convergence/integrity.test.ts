import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approve } from '../agent/options/directive.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { defineConvergence } from './define-convergence.js';
import { convergeLeaf, convergeRoot, convergeRootOfTexts } from './facts/converge-root.js';
import { type Fact, fact } from './facts/fact.js';
import { verifyInclusion } from './facts/inclusion-proof.js';
import { leafText, writeLeaf } from './facts/leaf.js';
import { leafHash } from './facts/merkle-tree.js';
import { toHex } from './facts/sha256.js';
import { checkSnapshot } from './facts/snapshot.js';
import { gate } from './options/gate.js';
import { suggestor } from './options/suggestor.js';

const doubler = suggestor('doubler', {
  dependsOn: ['n'],
  execute: ({ facts, propose }) => {
    for (const each of facts.get<number>('n')) propose('double', each.payload * 2, { id: each.id, because: [each] });
  },
});
const convergence = defineConvergence({ name: 'sums', suggestors: [doubler] });
const numbers = (...values: readonly number[]) => values.map((n) => fact('n', n, { id: `n${n}`, subject: 'sums' }));

describe('integrity', () => {
  it('proves every fact against the root, and nothing that was changed', async () => {
    const { facts, prove, root } = await convergence.run({ facts: numbers(1, 2, 3, 4, 5) });
    for (const { ref } of facts.all()) {
      const proof = prove(ref)!;
      expect(verifyInclusion(JSON.parse(JSON.stringify(proof)), root)).toBe(true);
      expect(verifyInclusion(proof, 'f'.repeat(64))).toBe(false);
      const lies: Partial<Fact>[] = [
        { payload: 99 },
        { confidence: 0.3 },
        { provenance: 'rumour' },
        { by: 'maria' },
        { cycle: 7 },
        { subject: 'other' },
        { family: 'other' },
        { version: 2 },
        { because: ['n/n9'] },
        { approval: { gateId: 'g', decision: 'approved', at: '2026-01-01T00:00:00Z' } },
        { key: 'other', ref: `other/${proof.fact.id}` },
      ];
      for (const lie of lies) expect(verifyInclusion({ ...proof, fact: { ...proof.fact, ...lie } }, root)).toBe(false);
      expect(verifyInclusion({ ...proof, index: proof.index + 1 }, root)).toBe(false);
      expect(verifyInclusion({ ...proof, path: proof.path.slice(1) }, root)).toBe(false);
      expect(verifyInclusion({ ...proof, path: ['nonsense'] }, root)).toBe(false);
    }
    expect(verifyInclusion(null as never, root)).toBe(false);
    expect(prove('n/n77')).toBeUndefined();
  });

  it('hashes the same whatever the order of keys in the content', () => {
    const base = {
      ref: 'a/b',
      key: 'a',
      id: 'b',
      family: 'a',
      version: 1,
      confidence: 1,
      provenance: 'p',
      by: 'p',
      cycle: 1,
      clock: 1,
    };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
        const shuffled = Object.fromEntries(Object.entries(payload).reverse());
        expect(leafText({ ...base, payload: shuffled } as Fact)).toBe(leafText({ ...base, payload } as Fact));
        expect(toHex(leafHash({ ...base, payload } as Fact, writeLeaf))).toBe(
          createHash('sha256')
            .update(`\u0000${leafText({ ...base, payload } as Fact)}`)
            .digest('hex'),
        );
        expect(JSON.parse(leafText({ ...base, payload } as Fact))[5]).toEqual(JSON.parse(JSON.stringify(payload)));
      }),
    );
  });

  it('continues from a snapshot with clock, ids and all that facts say', async () => {
    const first = await convergence.run({ facts: numbers(1, 2) });
    const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
    const second = await convergence.run({ snapshot, facts: numbers(3) });
    expect(second.facts.all().slice(0, 4)).toEqual(first.facts.all());
    expect(second.facts.all().map(({ clock }) => clock)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(second.facts.find('double/n3')).toMatchObject({ payload: 6, clock: 6 });
    const same = await convergence.run({ snapshot });
    expect(same.root).toBe(first.root);
    expect(same.termination).toEqual({ kind: 'converged', cycles: 1, facts: 4 });
  });

  it.each<[string, (snapshot: { facts: Record<string, unknown>[]; root: string }) => void]>([
    ['another content', ({ facts }) => Object.assign(facts[0]!, { payload: 9 })],
    ['another promoter', ({ facts }) => Object.assign(facts[1]!, { by: 'maria' })],
    ['another confidence', ({ facts }) => Object.assign(facts[1]!, { confidence: 0.1 })],
    ['a fact less', ({ facts }) => void facts.pop()],
    ['another order', ({ facts }) => void facts.reverse()],
    ['an id twice', ({ facts }) => Object.assign(facts[1]!, { id: facts[0]!['id'] })],
    ['a wrong id', ({ facts }) => Object.assign(facts[1]!, { id: 'a|b' })],
    ['another root', (snapshot) => void Object.assign(snapshot, { root: '0'.repeat(64) })],
    ['another format', (snapshot) => void Object.assign(snapshot, { format: 'x' })],
  ])('refuses a snapshot with %s', async (_, change) => {
    const { snapshot: take } = await convergence.run({ facts: numbers(1, 2) });
    const snapshot = JSON.parse(JSON.stringify(take()));
    checkSnapshot(snapshot);
    change(snapshot);
    expect(() => checkSnapshot(snapshot)).toThrow(/cannot be restored/);
    await expect(convergence.run({ snapshot })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('refuses a snapshot that is sound in itself but not the one that was expected', async () => {
    const [one, other] = [await convergence.run({ facts: numbers(1) }), await convergence.run({ facts: numbers(2) })];
    expect(() => checkSnapshot(one.snapshot(), { root: other.root })).toThrow(/was expected/);
    expect(checkSnapshot(one.snapshot(), { root: one.root }).root).toBe(one.root);
  });

  it('refuses to show a journal whose facts were changed', async () => {
    const engine = memoryEngine();
    await convergence.run({ facts: numbers(1, 2) }, { engine, runId: 'r' });
    const journal = JSON.parse(JSON.stringify(await engine.journal('r'))) as JournalEntry[];
    const step = journal.find(({ type }) => type === 'step_ended') as unknown as {
      data: { value: { proposals: { payload: number }[] } };
    };
    step.data.value.proposals[0]!.payload = 1000;
    const forged = memoryEngine();
    await forged.importRun(journal);
    await expect(convergence.result('r', { engine: forged })).rejects.toMatchObject({ code: 'INVALID_JOURNAL' });
  });

  it('proves nothing that a leaf does not say', async () => {
    const { root, prove, snapshot } = await defineConvergence({ suggestors: [] }).run({
      facts: [fact('n', 1, { id: 'a' })],
    });
    const proof = prove('n/a');
    if (proof === undefined) throw new Error('there is no proof');
    const proves = (changed: object): boolean =>
      verifyInclusion({ ...proof, fact: { ...proof.fact, ...changed } as Fact }, root);
    expect(proves({})).toBe(true);
    const forgeries = [
      { signedBy: 'maria' },
      { confidence: '1' },
      { version: '1' },
      { cycle: '0' },
      { subject: null },
      { because: null },
      { approval: null },
    ];
    expect(forgeries.filter(proves)).toEqual([]);
    const { facts, ...rest } = snapshot();
    const said = (changed: object) => ({ ...rest, facts: [{ ...facts[0], ...changed }] });
    expect(() => checkSnapshot(said({ signedBy: 'maria' }))).toThrow(/fact 0 has the field "signedBy"/);
    for (const forgery of forgeries.slice(1)) expect(() => checkSnapshot(said(forgery))).toThrow(/cannot be restored/);
  });

  it('explains a fact by what its suggestor says, or by what woke it', async () => {
    const summer = suggestor('summer', {
      dependsOn: ['double'],
      execute: ({ facts, propose }) =>
        propose(
          'sum',
          facts.get<number>('double').reduce((sum, { payload }) => sum + payload, 0),
        ),
    });
    const sums = defineConvergence({ suggestors: [doubler, summer] });
    const result = await sums.run({ facts: numbers(1, 2) });
    const why = result.explain(result.facts.latest('sum')!.ref)!;
    expect(why.stated).toBe(false);
    expect(why.because.map((cause) => cause.fact.ref)).toEqual(['double/n1', 'double/n2']);
    expect(why.because.map((cause) => [cause.stated, cause.because[0]?.fact.ref])).toEqual([
      [true, 'n/n1'],
      [true, 'n/n2'],
    ]);
    expect(result.explain('n/n1')?.because).toEqual([]);
    expect(result.explain('n/n9')).toBeUndefined();
  });

  it('explains what waited at a gate by what there was when it was proposed', async () => {
    const decider = suggestor('decider', {
      dependsOn: ['n'],
      execute: ({ propose }) => propose('decision', { yes: true }, { id: 'd' }),
    });
    const counter = suggestor('counter', {
      dependsOn: ['n'],
      accepts: ({ facts }) => facts.get('n').length < 3,
      execute: ({ facts, propose }) => propose('n', facts.size, { id: `n${facts.size}` }),
    });
    const gates = [gate({ key: 'decision' })];
    const convergence = defineConvergence({ suggestors: [decider, counter], gates, whileOpen: 'continue' });
    const paused = await convergence.run({ facts: [fact('n', 0, { id: 'n0' })] });
    expect(paused.facts.get('n')).toHaveLength(3);
    const done = await paused.resume({ answers: { 'decision/d@1': approve() } });
    expect(done.explain('decision/d')?.because.map((cause) => cause.fact.ref)).toEqual(['n/n0']);
  });

  it('explains a fact by the facts of a snapshot, whatever their cycles were', async () => {
    const counter = suggestor('counter', {
      dependsOn: ['n'],
      accepts: ({ facts }) => facts.get('n').length < 4,
      execute: ({ facts, propose }) => propose('n', facts.size, { id: `n${facts.size}` }),
    });
    const first = await defineConvergence({ suggestors: [counter] }).run({ facts: [fact('n', 0, { id: 'n0' })] });
    const doubler = suggestor('doubler', {
      dependsOn: ['n'],
      execute: ({ facts, propose }) => propose('sum', facts.get('n').length, { id: 's' }),
    });
    const second = await defineConvergence({ suggestors: [doubler] }).run({ snapshot: first.snapshot() });
    expect(second.explain('sum/s')?.because.map((cause) => cause.fact.ref)).toEqual(['n/n3']);
  });

  it('explains the end of a long story, and a fact that follows from very many', async () => {
    const story = Array.from({ length: 20_000 }, (_, n) =>
      fact('page', { n }, { id: `p${n}`, because: n === 0 ? [] : [`page/p${n - 1}`] }),
    );
    const told = await defineConvergence({ suggestors: [] }).run({ facts: story });
    let why = told.explain('page/p19999');
    let length = 0;
    for (; why !== undefined; why = why.because[0]) length += 1;
    expect(length).toBe(20_000);
    const lines = Array.from({ length: 150_000 }, (_, n) => fact('line', { n }, { id: `l${n}` }));
    const sum = suggestor('sum', { dependsOn: ['line'], execute: ({ propose }) => propose('sum', { ok: true }) });
    const summed = await defineConvergence({ suggestors: [sum] }).run({ facts: lines });
    expect(summed.explain(summed.facts.latest('sum')?.ref ?? '')?.because).toHaveLength(150_000);
  }, 300_000);
});

describe('the root rule of Converge', () => {
  const seed = { key: 'Seeds', id: 'seed-1', payload: { text: 'initial seed' } };
  const hypothesis = { key: 'Hypotheses', id: 'hyp-1', payload: { text: 'derived from seed' } };

  it('computes the known leaves and roots', () => {
    expect(convergeLeaf(seed)).toBe('7ca37945eecb7441c9909ef8a9b1d777d676922d04c1f8d5b87d7d12dff81f2c');
    expect(convergeRoot([seed])).toBe('67dceebd2e531c739ba351b57ca9b48c08c04630dbba1efdf1bfc9c0653c37e2');
    expect(convergeRoot([hypothesis, seed])).toBe('73594c8d6db8d4774f4a762d60b30080f19f5a3fc2e4ce10807dfbd64ce9283d');
    expect(convergeRoot([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(convergeRootOfTexts(['fact 1', 'fact 2', 'fact 3'])).toBe(
      'da5887684b94945b335808addcac0294a9690db692611a60251e4f18ff37e81c',
    );
  });

  it('has the weakness that ours has not: a last leaf counts twice', () => {
    expect(convergeRootOfTexts(['a', 'b', 'c'])).toBe(convergeRootOfTexts(['a', 'b', 'c', 'c']));
  });
});
