import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { approve, deny } from '../agent/options/directive.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { EntryDraft, JournalEntry } from '../engines/port/journal-entry.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { converge } from './converge.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { verifyInclusion } from './facts/inclusion-proof.js';
import { possibleKinds } from './kinds.js';
import type { ConvergenceOptions } from './options/convergence-options.js';
import { criterion } from './options/criterion.js';
import { gate } from './options/gate.js';
import { acceptance, semantic, structural } from './options/invariant.js';
import { promotionGate } from './options/promotion-gate.js';
import { suggestor } from './options/suggestor.js';

/** Adds a fact in every cycle, for ever. */
const counter = suggestor('counter', {
  execute: ({ facts, propose, charge }) => {
    charge({ inputTokens: 40, outputTokens: 10, costUsd: 0.5 });
    propose('count', { n: facts.size }, { id: `c${facts.size}` });
  },
});
const once = (key: string, payload: object, options: Parameters<typeof fact>[2] = {}) =>
  suggestor(`${key} once`, {
    accepts: ({ cycle }) => cycle === 0,
    execute: ({ propose }) => propose(key, payload, options),
  });
const pair = suggestor('pair', {
  accepts: ({ facts, rejections }) => !facts.has('plan') && rejections.length === 0,
  execute: ({ propose }) => {
    propose('plan', { n: 1 }, { id: 'one' });
    propose('plan', { n: 2 }, { id: 'two' });
  },
});

describe('the eighteen weaknesses of Converge are none of ours', () => {
  it('1. budgets end runs as kinds of their own, with numbers and without a text to parse', async () => {
    const endings = [{ cycles: 2 }, { facts: 2 }, { tokens: 100 }, { costUsd: 1 }].map(async (budgets) => {
      const { termination } = await defineConvergence({ suggestors: [counter], budgets }).run();
      return termination;
    });
    expect(await Promise.all(endings)).toEqual([
      { kind: 'cycle_budget', limit: 2, used: 2 },
      { kind: 'fact_budget', limit: 2, used: 2 },
      { kind: 'token_budget', limit: 100, used: 100 },
      { kind: 'cost_budget', limitUsd: 1, usedUsd: 1 },
    ]);
  });

  it.each<[string, ConvergenceOptions, string]>([
    ['a goal', { suggestors: [] }, 'converged'],
    ['a budget', { suggestors: [counter], budgets: { cycles: 1 } }, 'cycle_budget'],
    ['a pause', { suggestors: [pair], gates: [gate({ key: 'plan' })] }, 'gate_pending'],
    ['a throw', { suggestors: [suggestor('bad', { execute: () => Promise.reject(new Error('no')) })] }, 'failed'],
  ])(
    '2. there is one channel: %s is a result with one ending, and that is the last entry',
    async (_, options, kind) => {
      const result = await defineConvergence(options).run();
      expect(result.termination.kind).toBe(kind);
      const journal = await result.journal();
      expect(journal.filter(({ type }) => type === 'segment_ended')).toEqual([journal.at(-1)]);
    },
  );

  it('3. at a limit nothing is lost: facts, root and proofs are there, and more continues from them', async () => {
    const first = await defineConvergence({ suggestors: [counter], budgets: { cycles: 3 } }).run();
    const proof = first.prove('count/c1');
    expect(first.facts.size).toBe(3);
    expect(proof !== undefined && verifyInclusion(proof, first.root)).toBe(true);
    const more = await first.resume({ budgets: { cycles: 5 } });
    expect(more.facts.all().slice(0, 3)).toEqual(first.facts.all());
    expect(more.facts.size).toBe(5);
  });

  it('4. suggestors that hang, throw or refuse are contained and typed, and what they use counts', async () => {
    const hanging = suggestor('hanging', {
      timeout: '1s',
      execute: ({ signal, charge }) => {
        charge({ inputTokens: 7 });
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('told'))));
      },
    });
    const hung = await defineConvergence({ suggestors: [hanging] }).run(undefined, { clock: simulatedClock() });
    expect(hung.termination).toMatchObject({ kind: 'failed', origin: 'step', error: { name: 'TimeoutError' } });
    expect(hung.usage.inputTokens).toBe(7);
    const throwing = suggestor('throwing', { execute: () => JSON.parse('{') });
    const thrown = await defineConvergence({ suggestors: [throwing] }).run();
    expect(thrown.termination).toMatchObject({ kind: 'failed', error: { name: 'SyntaxError' } });
    const refusing = suggestor('refusing', { execute: ({ refuse }) => refuse('not my field') });
    const refused = await defineConvergence({ suggestors: [refusing] }).run();
    expect(refused.termination).toEqual({
      kind: 'agent_refused',
      agentId: 'refusing',
      reason: 'not my field',
      by: 'suggestor',
    });
  });

  it('5. required criteria that are unmet are no success', async () => {
    const intent = { criteria: [criterion('signed', () => false)] };
    const { termination, outcome, category } = await defineConvergence({ suggestors: [], intent }).run();
    expect(termination).toEqual({ kind: 'criteria_unmet', criteria: ['signed'] });
    expect([outcome, category]).toEqual(['failed', 'fatal']);
  });

  it('6. criteria that are met can stop a run that would continue', async () => {
    const intent = { criteria: [criterion('two', ({ facts }) => facts.size >= 2)], evaluate: 'every_cycle' } as const;
    const result = await defineConvergence({ suggestors: [counter], intent }).run();
    expect(result.termination).toEqual({ kind: 'criteria_met', criteria: ['two'] });
    expect(result.facts.size).toBe(2);
  });

  it('7. no proposal passes a gate by: not the second of a cycle, not an input, not with an intent', async () => {
    const options = {
      suggestors: [pair],
      gates: [gate({ key: 'plan' })],
      intent: { criteria: [criterion('planned', ({ facts }) => facts.has('plan'))] },
    };
    const given = { facts: [fact('plan', { n: 0 }, { id: 'zero' })] };
    const paused = await defineConvergence(options).run(given);
    expect(paused.facts.size).toBe(0);
    const first = await paused.resume({ answers: { 'plan/zero@0': deny() } });
    expect((await first.journal()).filter(({ type }) => type === 'request_opened')).toHaveLength(3);
    const second = await first.resume({ answers: { 'plan/one@1': approve() } });
    expect(second.termination).toMatchObject({ kind: 'gate_pending', gates: [{ gateId: 'plan/two@1' }] });
    expect(second.facts.size).toBe(0);
    const third = await second.resume({ answers: { 'plan/two@1': deny() } });
    expect(third.facts.all().map(({ ref }) => ref)).toEqual(['plan/one']);
    expect(third.termination.kind).toBe('criteria_met');
  });

  it('8. a pause outlives its process, a wrong answer, and its deadline; who decided is in the fact', async () => {
    const clock = simulatedClock(undefined, { auto: false });
    const here = memoryEngine({ clock });
    const convergence = defineConvergence({
      suggestors: [pair],
      gates: [gate({ key: 'plan', deadline: '1h', onExpiry: 'reject' })],
    });
    await convergence.run(undefined, { engine: here, runId: 'r' });
    const elsewhere = memoryEngine({ clock });
    await elsewhere.importRun(JSON.parse(JSON.stringify(await here.journal('r'))) as JournalEntry[]);
    const wrong = convergence.resume('r', { engine: elsewhere, answers: { 'plan/three@1': approve() } });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    expect((await elsewhere.openRequests('r')).map(({ id }) => id)).toEqual(['plan/one@1', 'plan/two@1']);
    await convergence.resume('r', { engine: elsewhere, answers: { 'plan/one@1': approve({ by: 'maria' }) } });
    await clock.advance(9 * 3_600_000);
    const done = await convergence.resume('r', { engine: elsewhere });
    expect(done.facts.find('plan/one')?.approval).toMatchObject({ by: 'maria', decision: 'approved' });
    expect(done.facts.find('plan/two')).toBeUndefined();
    expect(done.gates.map(({ gateId, decision, expired }) => [gateId, decision, expired])).toEqual([
      ['plan/one@1', 'approved', false],
      ['plan/two@1', 'rejected', true],
    ]);
  });

  it('9. the logical clock never starts again: not on resume, not from a snapshot', async () => {
    const convergence = defineConvergence({ suggestors: [counter], budgets: { cycles: 2 } });
    const first = await convergence.run();
    const second = await first.resume({ budgets: { cycles: 4 } });
    const third = await convergence.run({ snapshot: second.snapshot() });
    expect(third.facts.all().map(({ clock }) => clock)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('10. promotion gates are anybody’s to write, and every rejection leaves its reason and its content', async () => {
    const promotionGates = [promotionGate('cap', ({ payload }) => (payload as { n: number }).n < 2 || 'above the cap')];
    const result = await defineConvergence({ suggestors: [pair], promotionGates }).run();
    expect(result.facts.all().map(({ ref }) => ref)).toEqual(['plan/one']);
    expect(result.rejections).toEqual([
      { cycle: 1, ref: 'plan/two', by: 'pair', type: 'gate', reason: 'above the cap', payload: { n: 2 }, gate: 'cap' },
    ]);
  });

  it('11. all violations are reported, each with its facts, and a semantic one can be repaired', async () => {
    const odd = semantic('even', (facts) =>
      facts
        .get<{ n: number }>('plan')
        .filter(({ payload }) => payload.n % 2 === 1)
        .map(({ ref }) => ({ reason: 'odd', facts: [ref] })),
    );
    const facts = [1, 2, 3].map((n) => fact('plan', { n }, { id: `p${n}` }));
    const { termination, also } = await defineConvergence({ suggestors: [], invariants: [odd] }).run({ facts });
    expect([termination, ...also]).toMatchObject([{ facts: ['plan/p1'] }, { facts: ['plan/p3'] }]);
    const repaired = semantic('noted', (all) => !all.has('plan') || all.has('note') || 'no note', { repairs: 1 });
    const noting = suggestor('noting', {
      dependsOn: ['violation'],
      execute: ({ propose }) => propose('note', { ok: true }),
    });
    const result = await defineConvergence({ suggestors: [noting], invariants: [repaired] }).run({ facts });
    expect(result.termination.kind).toBe('converged');
  });

  it.each<[string, Partial<ConvergenceOptions>, object]>([
    ['structural', { invariants: [structural('few', (facts) => facts.size < 2)] }, { class: 'structural' }],
    ['semantic', { invariants: [semantic('few', (facts) => facts.size < 2)] }, { class: 'semantic' }],
    ['acceptance', { invariants: [acceptance('few', (facts) => facts.size < 2)] }, { class: 'acceptance' }],
    ['budget', { budgets: { facts: 1 } }, { kind: 'fact_budget', limit: 1, used: 1 }],
  ])('12. the input is checked although nobody has anything to do: %s', async (_, options, ending) => {
    const facts = [fact('plan', { n: 1 }), fact('plan', { n: 2 })];
    const { termination } = await defineConvergence({ suggestors: [], ...options }).run({ facts });
    expect(termination).toMatchObject(ending);
  });

  it('13. the same again changes nothing, and a conflict has both contents', async () => {
    const facts = [fact('plan', { n: 1 }, { id: 'p' })];
    const same = await defineConvergence({ suggestors: [once('plan', { n: 1 }, { id: 'p' })] }).run({ facts });
    expect([same.facts.size, same.rejections]).toEqual([1, []]);
    const other = await defineConvergence({ suggestors: [once('plan', { n: 2 }, { id: 'p' })] }).run({ facts });
    expect(other.rejections).toMatchObject([{ type: 'conflict', payload: { n: 2 }, existing: { n: 1 } }]);
    expect(other.facts.find('plan/p')?.payload).toEqual({ n: 1 });
  });

  it('14. the root covers all that facts say, ids cannot hold separators, and no other list has it', async () => {
    const rootOf = async (...facts: ReturnType<typeof fact>[]) =>
      (await defineConvergence({ suggestors: [] }).run({ facts })).root;
    const [a, b, c] = ['a', 'b', 'c'].map((id) => fact('plan', { n: 1 }, { id })) as [never, never, never];
    const roots = await Promise.all([
      rootOf(a, b, c),
      rootOf(a, b, c, fact('plan', { n: 1 }, { id: 'c2' })),
      rootOf(a, b, fact('plan', { n: 1 }, { id: 'c', confidence: 0.5 })),
      rootOf(a, b, fact('plan', { n: 1 }, { id: 'c', provenance: 'elsewhere' })),
      rootOf(a, b, fact('plan', { n: 1 }, { id: 'c', subject: 'x' })),
      rootOf(a, b, fact('plan', { n: 1 }, { id: 'c', because: ['plan/a'] })),
    ]);
    expect(new Set(roots).size).toBe(roots.length);
    for (const id of ['a|b', 'a/b', '', ' a', 'a\u0000'])
      expect(() => fact('plan', { n: 1 }, { id })).toThrow(/the id is/);
  });

  it('15. inputs keep their order over all keys, keys are open, and suggestors work at once up to the limit', async () => {
    const facts = ['z', 'a', 'm', 'z', 'b'].map((key, index) => fact(key, { index }, { id: `i${index}` }));
    let [working, most] = [0, 0];
    const busy = (name: string) =>
      suggestor(name, {
        accepts: ({ cycle }) => cycle === 0,
        execute: async ({ clock }) => {
          working += 1;
          most = Math.max(most, working);
          await new Promise<void>((resolve) => void clock.callAt(clock.now() + 10, resolve));
          working -= 1;
        },
      });
    const suggestors = ['p', 'q', 'r', 's', 't'].map(busy);
    const run = async (options: Partial<ConvergenceOptions>) => {
      [working, most] = [0, 0];
      const result = await defineConvergence({ suggestors, ...options }).run({ facts }, { clock: simulatedClock() });
      expect(result.facts.all().map(({ ref }) => ref)).toEqual(['z/i0', 'a/i1', 'm/i2', 'z/i3', 'b/i4']);
      return most;
    };
    expect(await run({})).toBe(5);
    expect(await run({ concurrency: 2 })).toBe(2);
  });

  it('16. every way to start a run reports the same, what is reported is durable, and the ending is reported once', async () => {
    const suggestors = [pair];
    const told = async (start: (onEntry: (entry: EntryDraft) => void) => Promise<unknown>): Promise<string[]> => {
      const types: string[] = [];
      await start(({ type, key }) => types.push(`${type} ${key ?? ''}`.trim()));
      return types;
    };
    const engine = memoryEngine();
    const defined = await told((onEntry) =>
      defineConvergence({ suggestors }).run(undefined, { engine, runId: 'r', onEntry }),
    );
    const atOnce = await told((onEntry) => converge({ suggestors, onEntry }));
    expect(atOnce).toEqual(defined);
    const kept = (await engine.journal('r')).map(({ type, key }) => `${type} ${key ?? ''}`.trim());
    expect(defined).toEqual(kept.slice(1));
    expect(defined.filter((type) => type === 'segment_ended')).toHaveLength(1);
  });

  it('17. a cancel that is acknowledged has its effect, and one that comes too late says so', async () => {
    const engine = memoryEngine();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const endless = suggestor('endless', {
      execute: ({ signal }) =>
        new Promise((resolve) => {
          begin();
          signal.addEventListener('abort', () => resolve(undefined));
        }),
    });
    const running = defineConvergence({ suggestors: [endless] }).run(undefined, { engine, runId: 'r' });
    await begun;
    expect(await engine.cancel('r', { by: 'operator', reason: 'enough' })).toBe('requested');
    expect((await running).termination).toMatchObject({ kind: 'cancelled', by: 'operator', reason: 'enough' });
    expect(await engine.cancel('r', { by: 'operator' })).toBe('ended');
  });

  it('18. the documentation names every ending that there is, and none that is not', () => {
    const everything = {
      suggestors: [],
      gates: [gate({ deadline: '1h' })],
      invariants: [structural('x', () => true)],
      onConflict: 'end',
      budgets: { cycles: 1, facts: 1, tokens: 1, costUsd: 1, time: 1 },
    } as const satisfies ConvergenceOptions;
    const intent = { criteria: [criterion('x', () => true)] };
    const unit = ['interaction_pending', 'child_failed'];
    const possible = [...possibleKinds(everything), ...possibleKinds({ ...everything, intent }), ...unit];
    const text = readFileSync(new URL('../../../../docs/convergence.md', import.meta.url), 'utf8');
    const rows =
      /## Endings\n([\s\S]*?)\n## /
        .exec(text)?.[1]
        ?.split('\n')
        .filter((row) => row.startsWith('| `')) ?? [];
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, kind]) => kind));
    expect(named.sort()).toEqual([...new Set(possible)].sort());
  });
});
