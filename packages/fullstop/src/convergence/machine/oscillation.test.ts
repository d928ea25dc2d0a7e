import { describe, expect, it } from 'vitest';
import { pipeline, using } from '../../pipeline/index.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineConvergence } from '../define-convergence.js';
import { fact } from '../facts/fact.js';
import { promotionGate } from '../options/promotion-gate.js';
import { suggestor } from '../options/suggestor.js';

/** Switches a light on and off for ever, each time as a new fact. */
const toggler = suggestor('toggler', {
  execute: ({ facts, propose }) => {
    const on = facts.latest<{ on: boolean }>('light')?.payload.on === true;
    propose('light', { on: !on }, { id: `light.${facts.size}` });
  },
});

describe('oscillation', () => {
  it('ends a run whose contents come back in turn, with the turn, long before its budget', async () => {
    const result = await defineConvergence({ suggestors: [toggler], budgets: { cycles: 1000 } }).run();
    expect(result.termination).toMatchObject({ kind: 'loop_detected', repeats: 5 });
    const { cycle } = result.termination as unknown as { cycle: readonly { input: { payload: unknown } }[] };
    expect(cycle.map(({ input }) => input.payload)).toEqual([{ on: true }, { on: false }]);
    expect(result.facts.size).toBe(10);
  });

  it('ends a run in which different proposals are rejected in turn', async () => {
    const waverer = suggestor('waverer', {
      execute: ({ rejections, propose }) => propose('plan', { n: rejections.length % 2 }, { id: 'p' }),
    });
    const promotionGates = [promotionGate('no', () => 'never')];
    const result = await defineConvergence({ suggestors: [waverer], promotionGates }).run();
    expect(result.termination).toEqual({ kind: 'promotion_rejected', proposalId: 'plan/p', reason: 'never' });
    expect(result.rejections.map(({ payload }) => (payload as { n: number }).n)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(result.category).toBe('fatal');
  });

  it('is not what rejections in turn are, however early a loop is noticed', async () => {
    const waverer = suggestor('waverer', {
      execute: ({ rejections, propose }) => propose('plan', { n: rejections.length % 2 }, { id: 'p' }),
    });
    const promotionGates = [promotionGate('no', () => 'never')];
    const result = await defineConvergence({
      suggestors: [waverer],
      promotionGates,
      oscillation: { contents: 2 },
    }).run();
    expect(result.termination).toEqual({ kind: 'promotion_rejected', proposalId: 'plan/p', reason: 'never' });
  });

  it('is not needed where everything is rejected, in other words each time: the budget that ends it stands beside that', async () => {
    const inventive = suggestor('inventive', {
      execute: ({ rejections, propose }) => propose('plan', { n: rejections.length }, { id: 'p' }),
    });
    const promotionGates = [promotionGate('no', () => 'never')];
    const options = { suggestors: [inventive], promotionGates, budgets: { cycles: 6 } };
    const result = await defineConvergence(options).run();
    expect(result.termination).toEqual({ kind: 'promotion_rejected', proposalId: 'plan/p', reason: 'never' });
    expect(result.also).toMatchObject([{ kind: 'cycle_budget', limit: 6, used: 6 }]);
    expect((await defineConvergence({ ...options, budgets: { cycles: 2 } }).run()).termination.kind).toBe(
      'cycle_budget',
    );
    expect((await defineConvergence({ ...options, oscillation: false }).run()).termination.kind).toBe('cycle_budget');
  });

  describe('where everything is rejected until the time is up', () => {
    const clock = simulatedClock();
    const slow = suggestor('slow', {
      execute: async ({ rejections, propose }) => {
        await new Promise<void>((resolve) => void clock.callAt(clock.now() + 100, resolve));
        propose('plan', { n: rejections.length }, { id: 'p' });
      },
    });
    const promotionGates = [promotionGate('no', () => 'never')];
    const options = { name: 'c', suggestors: [slow], promotionGates };
    const rejected = { kind: 'promotion_rejected', proposalId: 'plan/p', reason: 'never' };

    it('ends as that in the middle of a cycle too, with the time beside it, and so again after a resume', async () => {
      const result = await defineConvergence({ ...options, budgets: { time: 550 } }).run(undefined, { clock });
      expect(result.termination).toEqual(rejected);
      expect(result.also).toMatchObject([{ kind: 'time_budget', limitMs: 550, scope: 'run' }]);
      expect(result.rejections).toHaveLength(5);
      const resumed = await result.resume({ budgets: { time: 1250 } });
      expect(resumed.termination).toEqual(rejected);
      expect(resumed.also).toMatchObject([{ kind: 'time_budget', limitMs: 1250 }]);
    });

    it('ends as the time where that was too short to say so, or nobody looks', async () => {
      for (const more of [{ budgets: { time: 250 } }, { budgets: { time: 550 }, oscillation: false as const }]) {
        const result = await defineConvergence({ ...options, ...more }).run(undefined, { clock });
        expect([result.termination.kind, result.also]).toEqual(['time_budget', []]);
      }
    });

    it('ends a stage with a limit in the same way', async () => {
      const convergence = defineConvergence(options);
      const stages = pipeline('p').stage(
        's',
        using(convergence, () => undefined),
        { limits: { timeMs: 550 } },
      );
      const result = await stages.run(undefined, { clock });
      expect(result.stages).toMatchObject([{ termination: rejected, also: [{ kind: 'time_budget' }] }]);
    });
  });

  it('leaves a budget what it is where something was accepted lately', async () => {
    const half = suggestor('half', {
      execute: ({ facts, rejections, propose }) => {
        propose('plan', { n: rejections.length }, { id: 'p' });
        if (facts.size < 3) propose('note', { n: facts.size }, { id: `n.${facts.size}` });
      },
    });
    const promotionGates = [promotionGate('no', ({ key }) => (key === 'plan' ? 'never' : true))];
    const result = await defineConvergence({ suggestors: [half], promotionGates, budgets: { cycles: 8 } }).run();
    expect(result.termination.kind).toBe('cycle_budget');
  });

  it.each([
    ['a gate', { promotionGates: [promotionGate('limit', () => 'too much')] }, {}, 'too much'],
    ['its form', {}, { id: 'not allowed' }, /the id is "not allowed"/],
    ['a taken id', { facts: [fact('plan', { n: 2 }, { id: 'p' })] }, { id: 'p' }, /the id plan\/p is taken/],
    ['an unknown reason', {}, { because: ['plan/none'] }, /because names "plan\/none"/],
  ])('is not what a suggestor is whose proposals are always rejected for %s', async (_, options, given, reason) => {
    const stubborn = suggestor('stubborn', { execute: ({ propose }) => propose('plan', { n: 1 }, given) });
    const result = await defineConvergence({ suggestors: [stubborn], ...options }).run();
    const matching = typeof reason === 'string' ? reason : expect.stringMatching(reason);
    expect(result.termination).toMatchObject({ kind: 'promotion_rejected', reason: matching });
    expect(result.nextAction).not.toMatch(/tool/);
  });

  it('is not what a suggestor is that does not say where its proposals come from: it is refused', async () => {
    const anonymous = suggestor('anonymous', { execute: ({ propose }) => propose('x', { n: 1 }, { provenance: ' ' }) });
    const result = await defineConvergence({ suggestors: [anonymous] }).run();
    const reason = 'the provenance is blank; leave it out';
    expect(result.termination).toEqual({ kind: 'agent_refused', agentId: 'anonymous', reason, by: 'suggestor' });
    expect(result.nextAction).toContain('suggestor anonymous');
  });

  it('names every proposal that was rejected, and begins anew after a resume with a suggestor that was changed', async () => {
    let isWrong = true;
    const both = suggestor('both', {
      execute: ({ propose }) => {
        propose('plan', { n: 1 }, isWrong ? { id: 'not allowed' } : {});
        propose('plan', { n: 2 }, isWrong ? { id: 'nor this' } : {});
      },
    });
    const result = await defineConvergence({ suggestors: [both] }).run();
    expect(result.termination).toMatchObject({ proposalId: 'plan/not allowed' });
    expect(result.also).toMatchObject([{ kind: 'promotion_rejected', proposalId: 'plan/nor this' }]);
    isWrong = false;
    const resumed = await result.resume();
    expect(resumed.termination).toMatchObject({ kind: 'converged', facts: 2 });
  });

  it('is not what working off a queue looks like, even if every result is the same', async () => {
    const items = Array.from({ length: 20 }, (_, n) => fact('item', { n }, { id: `i${n}` }));
    const worker = suggestor('worker', {
      dependsOn: ['item', 'done'],
      execute: ({ facts, propose }) => {
        const next = facts.get('item').find(({ id }) => !facts.has('done', id));
        if (next !== undefined) propose('done', { ok: true }, { id: next.id });
      },
    });
    const result = await defineConvergence({ suggestors: [worker] }).run({ facts: items });
    expect(result.termination).toMatchObject({ kind: 'converged', facts: 40 });
  });

  it('is not what a stubborn suggestor beside others at work is', async () => {
    const stubborn = suggestor('stubborn', { execute: ({ propose }) => propose('x', { n: 1 }, { id: 'not allowed' }) });
    const counter = suggestor('counter', {
      execute: ({ facts, propose }) => {
        if (facts.size < 12) propose('count', { n: facts.size });
      },
    });
    const result = await defineConvergence({ suggestors: [stubborn, counter] }).run();
    expect(result.termination).toMatchObject({ kind: 'promotion_rejected', proposalId: 'x/not allowed' });
    expect(result.facts.size).toBe(12);
  });

  it('can be tuned and switched off, and starts anew after a resume', async () => {
    const early = await defineConvergence({ suggestors: [toggler], oscillation: { contents: 2 } }).run();
    expect(early.facts.size).toBe(4);
    const again = await early.resume();
    expect(again.termination.kind).toBe('loop_detected');
    expect(again.facts.size).toBe(8);
    const off = await defineConvergence({ suggestors: [toggler], oscillation: false, budgets: { cycles: 30 } }).run();
    expect(off.termination).toEqual({ kind: 'cycle_budget', limit: 30, used: 30 });
  });
});
