import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approve, deny } from '../agent/options/directive.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { criterion } from './options/criterion.js';
import { family } from './options/family.js';
import { type GateOptions, gate } from './options/gate.js';
import { structural } from './options/invariant.js';
import { suggestor } from './options/suggestor.js';

const hour = 3_600_000;

/** Proposes three decisions at once, of which the odd ones are unsure. */
const decider = suggestor('decider', {
  accepts: ({ facts, rejections }) => !facts.has('decision') && rejections.length === 0,
  execute: ({ propose }) => {
    propose('decision', { n: 1 }, { id: 'one', confidence: 0.4 });
    propose('decision', { n: 2 }, { id: 'two' });
    propose('decision', { n: 3 }, { id: 'three', confidence: 0.5 });
  },
});
const follower = (asked: number[] = []) =>
  suggestor('follower', {
    dependsOn: ['decision'],
    execute: ({ facts, propose }) => {
      asked.push(facts.get('decision').length);
      propose('note', { decisions: facts.get('decision').length }, { id: `after-${facts.get('decision').length}` });
    },
  });
const gated = (options: GateOptions, asked: number[] = []) =>
  defineConvergence({ suggestors: [decider, follower(asked)], gates: [gate(options)] });

const ids = (result: { readonly termination: object }): readonly string[] =>
  (result.termination as { gates?: readonly { gateId: string }[] }).gates?.map(({ gateId }) => gateId) ?? [];

describe('human gates', () => {
  it('gates every proposal that a policy wants, promotes the others, and lets no suggestor run before all are decided', async () => {
    const asked: number[] = [];
    const first = await gated({ confidenceAtMost: 0.5 }, asked).run();
    expect(ids(first)).toEqual(['decision/one@1', 'decision/three@1']);
    expect(first.facts.all().map(({ id }) => id)).toEqual(['two']);
    const second = await first.resume({ answers: { 'decision/three@1': approve({ by: 'maria', reason: 'checked' }) } });
    expect(ids(second)).toEqual(['decision/one@1']);
    expect(asked).toEqual([]);
    expect(second.facts.all().map(({ id }) => id)).toEqual(['two']);
    const third = await second.resume({ answers: { 'decision/one@1': deny({ by: 'otto', reason: 'too expensive' }) } });
    expect(third.termination).toMatchObject({ kind: 'converged' });
    expect(asked).toEqual([2]);
    expect(third.facts.find('decision/three')?.approval).toMatchObject({
      gateId: 'decision/three@1',
      decision: 'approved',
      by: 'maria',
      reason: 'checked',
    });
    expect(third.rejections).toMatchObject([
      { ref: 'decision/one', type: 'human', who: 'otto', reason: 'too expensive' },
    ]);
    expect(third.gates.map(({ gateId, decision, by }) => [gateId, decision, by])).toEqual([
      ['decision/three@1', 'approved', 'maria'],
      ['decision/one@1', 'rejected', 'otto'],
    ]);
  });

  it.each<[string, GateOptions, readonly string[]]>([
    ['by key', { key: 'decision' }, ['decision/one@1', 'decision/two@1', 'decision/three@1']],
    ['by confidence, the limit included', { confidenceAtMost: 0.4 }, ['decision/one@1']],
    ['by suggestor', { by: 'decider', when: ({ id }) => id === 'two' }, ['decision/two@1']],
    ['by predicate', { when: async ({ payload }) => (payload as { n: number }).n > 2 }, ['decision/three@1']],
  ])('gates %s', async (_, options, wanted) => {
    expect(ids(await gated(options).run())).toEqual(wanted);
  });

  it('gates inputs too', async () => {
    const convergence = defineConvergence({ suggestors: [follower()], gates: [gate({ key: 'decision' })] });
    const paused = await convergence.run({ facts: [fact('decision', { n: 9 }, { id: 'given' })] });
    expect(ids(paused)).toEqual(['decision/given@0']);
    expect(paused.facts.size).toBe(0);
    const done = await paused.resume({ answers: { 'decision/given@0': approve() } });
    expect(done.facts.all().map(({ ref }) => ref)).toEqual(['decision/given', 'note/after-1']);
  });

  it('takes a changed content, with who changed it, and asks again when it cannot be', async () => {
    const decision = family('decision', { schema: z.object({ n: z.number().max(5) }) });
    const convergence = defineConvergence({
      families: [decision],
      facts: [fact(decision, { n: 4 }, { id: 'd' })],
      suggestors: [],
      gates: [gate({ key: 'decision' })],
    });
    const paused = await convergence.run();
    const again = await paused.resume({ answers: { 'decision/d@0': approve({ by: 'maria', input: { n: 50 } }) } });
    expect(ids(again)).toEqual(['decision/d@0+1']);
    expect(JSON.stringify(again.termination)).toContain('the last answer could not be used');
    expect(again.facts.size).toBe(0);
    const answer = { decision: 'value', value: { n: 3 }, by: 'maria', reason: 'less' } as const;
    const done = await again.resume({ answers: { 'decision/d@0+1': answer } });
    expect(done.facts.find('decision/d')).toMatchObject({
      payload: { n: 3 },
      approval: { decision: 'modified', by: 'maria', reason: 'less' },
    });
    expect(done.gates.map((record) => record.decision)).toEqual(['modified', 'modified']);
  });

  it('refuses answers to unknown gates, late and second answers, and changes nothing', async () => {
    const engine = memoryEngine();
    const convergence = gated({ confidenceAtMost: 0.4 });
    const paused = await convergence.run(undefined, { engine, runId: 'r' });
    const before = (await engine.journal('r')).length;
    await expect(paused.resume({ answers: { 'decision/nine@1': approve() } })).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
    });
    expect((await engine.journal('r')).length).toBe(before);
    expect((await convergence.result('r', { engine }))?.termination.kind).toBe('gate_pending');
    const done = await paused.resume({ answers: { 'decision/one@1': approve({ by: 'maria' }) } });
    expect(done.termination.kind).toBe('converged');
    await expect(paused.resume({ answers: { 'decision/one@1': deny() } })).rejects.toMatchObject({
      code: 'RUN_CLOSED',
    });
    expect(await engine.answer('r', 'decision/one@1', deny())).toMatchObject({ status: 'already', by: 'maria' });
    expect((await convergence.result('r', { engine }))?.facts.has('decision', 'one')).toBe(true);
  });

  it('refuses to resume what there is not, and what another definition has run', async () => {
    const engine = memoryEngine();
    const convergence = gated({ key: 'decision' });
    await expect(convergence.resume('nobody', { engine })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await defineConvergence({ name: 'other', suggestors: [] }).run(undefined, { engine, runId: 'r' });
    await expect(convergence.resume('r', { engine })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(convergence.resume('r', { engine, facts: [{ key: '' } as never] })).rejects.toThrow(/the key/);
  });

  it.each([
    ['reject', 0],
    ['approve', 1],
  ] as const)('applies a deadline that passes unwatched as %s, dated at the deadline', async (onExpiry, promoted) => {
    const clock = simulatedClock(undefined, { auto: false });
    const engine = memoryEngine({ clock });
    const convergence = gated({ confidenceAtMost: 0.4, deadline: '1h', onExpiry });
    await convergence.run(undefined, { engine, runId: 'r' });
    const opened = clock.now();
    await clock.advance(30 * hour);
    const receipt = await engine.answer('r', 'decision/one@1', approve());
    expect(receipt).toMatchObject({ status: 'expired' });
    const done = await convergence.resume('r', { engine });
    expect(done.termination.kind).toBe('converged');
    expect(done.facts.get('decision').filter(({ id }) => id === 'one')).toHaveLength(promoted);
    expect(done.gates).toMatchObject([{ expired: true, at: new Date(opened + hour).toISOString() }]);
  });

  it('escalates at most three times, each time as a new gate with a deadline of its own, and then ends', async () => {
    const clock = simulatedClock(undefined, { auto: false });
    const engine = memoryEngine({ clock });
    const escalation = { to: 'the boss', deadline: '2h' } as const;
    const convergence = gated({ confidenceAtMost: 0.4, deadline: '1h', onExpiry: 'escalate', escalation });
    await convergence.run(undefined, { engine, runId: 'r' });
    const opened = clock.now();
    await clock.advance(hour);
    const second = await convergence.resume('r', { engine });
    expect(second.termination).toMatchObject({
      kind: 'gate_pending',
      gates: [{ gateId: 'decision/one@1~1', deadline: new Date(opened + 3 * hour).toISOString() }],
    });
    expect(JSON.stringify(second.termination)).toContain('escalated to the boss');
    await clock.advance(100 * hour);
    const last = await convergence.resume('r', { engine });
    expect(last.termination).toEqual({
      kind: 'gate_expired',
      gateId: 'decision/one@1~3',
      deadline: new Date(opened + 7 * hour).toISOString(),
    });
    expect(last.gates.map(({ gateId, decision }) => [gateId, decision])).toEqual([
      ['decision/one@1', 'escalated'],
      ['decision/one@1~1', 'escalated'],
      ['decision/one@1~2', 'escalated'],
    ]);
    expect(last.facts.has('decision', 'one')).toBe(false);
  });

  it('does not ask again what a person has rejected, but asks about another content', async () => {
    const stubborn = suggestor('stubborn', {
      execute: ({ propose, rejections }) => {
        propose('plan', { price: 10 }, { id: 'p' });
        if (rejections.length > 0) propose('plan', { price: 5 }, { id: 'p' });
      },
    });
    const convergence = defineConvergence({ suggestors: [stubborn], gates: [gate({ key: 'plan' })] });
    const paused = await convergence.run();
    const again = await paused.resume({ answers: { 'plan/p@1': deny({ by: 'otto', reason: 'too expensive' }) } });
    expect(again.rejections.map(({ type }) => type)).toEqual(['human', 'refused_before']);
    expect(ids(again)).toEqual(['plan/p@2']);
    const done = await again.resume({ answers: { 'plan/p@2': approve() } });
    expect(done.facts.find('plan/p')?.payload).toEqual({ price: 5 });
  });

  it('does not ask again what a person has changed: the change is kept, and the run reaches its fixed point', async () => {
    const stubborn = suggestor('stubborn', { execute: ({ propose }) => propose('plan', { price: 10 }, { id: 'p' }) });
    const convergence = defineConvergence({ suggestors: [stubborn], gates: [gate({ key: 'plan' })] });
    const paused = await convergence.run();
    const done = await paused.resume({ answers: { 'plan/p@1': approve({ by: 'maria', input: { price: 5 } }) } });
    expect(done.termination).toEqual({ kind: 'converged', cycles: 2, facts: 1 });
    expect(done.facts.find('plan/p')?.payload).toEqual({ price: 5 });
    expect(done.rejections).toMatchObject([
      { type: 'refused_before', reason: 'the same was rejected or changed at a gate before' },
    ]);
  });

  it('keeps a rejection by a deadline: the same is not asked about forever', async () => {
    const clock = simulatedClock(undefined, { auto: false });
    const engine = memoryEngine({ clock });
    const stubborn = suggestor('stubborn', { execute: ({ propose }) => propose('plan', { price: 10 }, { id: 'p' }) });
    const gates = [gate({ key: 'plan', deadline: '1h', onExpiry: 'reject' })];
    const convergence = defineConvergence({ suggestors: [stubborn], gates });
    await convergence.run(undefined, { engine, runId: 'r' });
    await clock.advance(2 * hour);
    const done = await convergence.resume('r', { engine });
    expect(done.termination).toEqual({ kind: 'converged', cycles: 2, facts: 0 });
    expect(done.rejections.map(({ type, reason }) => [type, reason])).toEqual([
      ['human', 'nobody answered in time'],
      ['refused_before', 'the same was rejected or changed at a gate before'],
    ]);
  });

  it('asks under another id when the same is given again with other content in the same cycle', async () => {
    const convergence = defineConvergence({
      suggestors: [],
      gates: [gate({ key: 'plan' })],
      intent: { criteria: [criterion('planned', ({ facts }) => facts.has('plan'))] },
    });
    const plan = (price: number) => ({ facts: [fact('plan', { price }, { id: 'p' })] });
    const paused = await convergence.run(plan(10));
    const unmet = await paused.resume({ answers: { 'plan/p@0': deny() } });
    expect(unmet.termination.kind).toBe('criteria_unmet');
    const again = await unmet.resume(plan(5));
    expect(ids(again)).toEqual(['plan/p@0+1']);
    const denied = await again.resume({ answers: { 'plan/p@0+1': deny() } });
    const third = await denied.resume(plan(4));
    expect(ids(third)).toEqual(['plan/p@0+2']);
    const done = await third.resume({ answers: { 'plan/p@0+2': approve({ by: 'maria' }) } });
    expect(done.termination).toEqual({ kind: 'criteria_met', criteria: ['planned'] });
    expect(done.facts.find('plan/p')).toMatchObject({ payload: { price: 4 }, approval: { by: 'maria' } });
  });

  it('keeps what lost against open gates beside them, and weighs it when they are decided', async () => {
    const spending = suggestor('spending', {
      execute: ({ facts, charge, propose }) => {
        charge({ inputTokens: 50 });
        propose('work', { n: facts.size }, { id: `w${facts.size}` });
        if (facts.size === 0) propose('plan', { price: 1 }, { id: 'p' });
      },
    });
    const options = { suggestors: [spending], gates: [gate({ key: 'plan' })] };
    const waiting = await defineConvergence({ ...options, budgets: { tokens: 50 } }).run();
    expect([waiting.termination.kind, waiting.also]).toEqual([
      'gate_pending',
      [{ kind: 'token_budget', limit: 50, used: 50 }],
    ]);
    const spent = await waiting.resume({ answers: { 'plan/p@1': approve() } });
    expect([spent.termination, spent.also]).toEqual([{ kind: 'token_budget', limit: 50, used: 50 }, []]);
    const beside = await defineConvergence({ ...options, budgets: { cycles: 3 }, whileOpen: 'continue' }).run();
    expect([ids(beside), beside.also]).toEqual([['plan/p@1'], [{ kind: 'cycle_budget', limit: 3, used: 3 }]]);
    const decided = await beside.resume({ answers: { 'plan/p@1': approve() } });
    expect(decided.termination).toEqual({ kind: 'cycle_budget', limit: 3, used: 3 });
    expect(decided.facts.has('plan', 'p')).toBe(true);
    const more = await decided.resume({ budgets: { cycles: 4 } });
    expect(more.facts.get('work')).toHaveLength(4);
  });

  it('continues while gates are open with larger budgets, where nothing is decided yet', async () => {
    const worker = suggestor('worker', {
      execute: ({ facts, propose }) => {
        propose('work', { n: facts.size }, { id: `w${facts.size}` });
        if (facts.size === 0) propose('plan', { price: 1 }, { id: 'p' });
      },
    });
    const options = { suggestors: [worker], gates: [gate({ key: 'plan' })], budgets: { cycles: 2 } };
    const beside = await defineConvergence({ ...options, whileOpen: 'continue' }).run();
    expect(beside.facts.get('work')).toHaveLength(2);
    const more = await beside.resume({ budgets: { cycles: 5 } });
    expect([ids(more), more.also]).toEqual([['plan/p@1'], [{ kind: 'cycle_budget', limit: 5, used: 5 }]]);
    expect(more.facts.get('work')).toHaveLength(5);
    const waiting = await defineConvergence(options).run();
    const still = await waiting.resume({ budgets: { cycles: 5 } });
    expect([ids(still), still.facts.get('work').length]).toEqual([['plan/p@1'], 1]);
    const done = await still.resume({ answers: { 'plan/p@1': approve() } });
    expect(done.facts.all().map(({ id }) => id)).toEqual(['w0', 'p', 'w2', 'w3', 'w4', 'w5']);
  });

  it.each([
    ['approve', approve(), 4, 2],
    ['deny', deny(), 3, 2],
  ] as const)('takes %s while a cycle is being judged', async (_, answer, facts, cycles) => {
    const engine = memoryEngine();
    const worker = suggestor('worker', {
      accepts: ({ facts: seen }) => seen.get('work').length < 3 && seen.size < 3,
      execute: ({ facts: seen, propose }) => {
        propose('work', { n: seen.size }, { id: `w${seen.size}` });
        if (seen.size === 0) propose('plan', { price: 1 }, { id: 'p' });
        else propose('work', { n: -1 }, { id: 'last' });
      },
    });
    const slow = structural('slow', async (seen) => {
      if (seen.has('work', 'last')) await engine.answer('r', 'plan/p@1', answer);
      return true;
    });
    const gates = [gate({ key: 'plan' })];
    const convergence = defineConvergence({ suggestors: [worker], gates, invariants: [slow], whileOpen: 'continue' });
    const done = await convergence.run(undefined, { engine, runId: 'r', onPause: 'wait' });
    expect(done.termination).toEqual({ kind: 'converged', cycles, facts });
  });

  it('shows all that was found beside a gate whose deadline ends the run', async () => {
    const clock = simulatedClock(undefined, { auto: false });
    const engine = memoryEngine({ clock });
    const worker = suggestor('worker', {
      accepts: ({ facts }) => facts.size < 3,
      execute: ({ facts, propose }) => {
        propose('work', { n: facts.size }, { id: `w${facts.size}` });
        if (facts.size === 0) propose('plan', { price: 1 }, { id: 'p' });
      },
    });
    const gates = [gate({ key: 'plan', deadline: '1h' })];
    const convergence = defineConvergence({ suggestors: [worker], gates, whileOpen: 'continue' });
    const paused = await convergence.run(undefined, { engine, runId: 'r' });
    await clock.advance(2 * hour);
    const expired = await convergence.resume('r', { engine });
    expect(expired.termination.kind).toBe('gate_expired');
    expect([expired.facts.all(), expired.root]).toEqual([paused.facts.all(), paused.root]);
    expect(expired.cycles).toHaveLength(4);
  });

  it('reaches no goal beside open gates before they are decided', async () => {
    const worker = suggestor('worker', {
      execute: ({ facts, propose }) => {
        propose('work', { n: facts.size }, { id: `w${facts.size}` });
        if (facts.size === 0) propose('plan', { price: 1 }, { id: 'p' });
      },
    });
    const paused = await defineConvergence({
      suggestors: [worker],
      gates: [gate({ key: 'plan' })],
      whileOpen: 'continue',
      intent: { criteria: [criterion('two', ({ facts }) => facts.get('work').length >= 2)], evaluate: 'every_cycle' },
    }).run();
    expect([ids(paused), paused.also]).toEqual([['plan/p@1'], [{ kind: 'criteria_met', criteria: ['two'] }]]);
    const done = await paused.resume({ answers: { 'plan/p@1': deny() } });
    expect(done.termination).toEqual({ kind: 'criteria_met', criteria: ['two'] });
    expect(done.facts.size).toBe(2);
  });

  it('continues while gates are open where that is asked for, and merges a decision into the next cycle', async () => {
    const worker = suggestor('worker', {
      execute: ({ facts, propose }) => {
        if (facts.get('work').length < 3) propose('work', { n: facts.get('work').length });
      },
    });
    const convergence = defineConvergence({
      suggestors: [decider, worker],
      gates: [gate({ confidenceAtMost: 0.4 })],
      whileOpen: 'continue',
    });
    const paused = await convergence.run();
    expect(ids(paused)).toEqual(['decision/one@1']);
    expect(paused.facts.get('work')).toHaveLength(3);
    const done = await paused.resume({ answers: { 'decision/one@1': approve() } });
    expect(done.termination.kind).toBe('converged');
    expect(done.facts.has('decision', 'one')).toBe(true);
  });

  it('runs where the answer comes from another process through the engine', async () => {
    const engine = memoryEngine();
    const convergence = gated({ confidenceAtMost: 0.4 });
    await convergence.run(undefined, { engine, runId: 'r' });
    const worker = engine.worker([convergence]);
    await engine.answer('r', 'decision/one@1', approve({ by: 'maria' }));
    const ending = await engine.waitForEnding('r', 2);
    await worker.stop();
    expect(ending.termination.kind).toBe('converged');
    const result = await convergence.result('r', { engine });
    expect(result?.facts.find('decision/one')?.approval?.by).toBe('maria');
  });
});
