import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { approve } from '../agent/options/directive.js';
import { requireApproval } from '../agent/tools/tool.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { pipeline } from '../pipeline/pipeline.js';
import { defineRun } from '../run/define-run.js';
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { gate } from './options/gate.js';
import { suggestor } from './options/suggestor.js';

const ask = fact('question', { text: 'why?' }, { id: 'q' });

describe('suggestors', () => {
  it('run agents as units, whose usage counts and whose output they turn into proposals', async () => {
    const usage = { inputTokens: 30, outputTokens: 12 };
    const agent = defineAgent({ name: 'thinker', model: scriptedModel([{ text: 'because', usage }]) });
    const thinker = suggestor('thinker', {
      dependsOn: ['question'],
      use: agent,
      input: ({ facts }) => String(facts.latest<{ text: string }>('question')?.payload.text),
      propose: ({ output, propose }) => propose('answer', { text: output }),
    });
    const result = await defineConvergence({ suggestors: [thinker], budgets: { tokens: 1000 } }).run({ facts: [ask] });
    expect(result.termination).toEqual({ kind: 'converged', cycles: 1, facts: 2 });
    expect(result.facts.latest('answer')).toMatchObject({ payload: { text: 'because' }, by: 'thinker' });
    expect(result.usage.totalTokens).toBe(42);
  });

  it('pause with the agents inside them, and continue when those are answered', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'look', id: 'call_1' }] }, { text: 'seen' }]);
    const look = requireApproval({ execute: () => 'a cat' });
    const agent = defineAgent({ name: 'looker', model, tools: { look } });
    const looker = suggestor('looker', {
      dependsOn: ['question'],
      use: agent,
      input: () => 'look',
      propose: ({ output, propose }) => propose('answer', { text: output }),
    });
    const paused = await defineConvergence({ suggestors: [looker] }).run({ facts: [ask] });
    expect(paused.termination).toMatchObject({
      kind: 'interaction_pending',
      requests: [{ id: 'looker/call_1', path: 'looker', tool: 'look' }],
    });
    const done = await paused.resume({ answers: { 'looker/call_1': approve() } });
    expect(done.facts.latest('answer')?.payload).toEqual({ text: 'seen' });
  });

  it('are each asked once and merged in their order, also when one of them waits for a person beside others', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'look', id: 'call_1' }] }, { text: 'seen' }]);
    const agent = defineAgent({ name: 'looker', model, tools: { look: requireApproval({ execute: () => 'a cat' }) } });
    const asked: string[] = [];
    const quick = (name: string) =>
      suggestor(name, {
        dependsOn: ['question'],
        execute: ({ propose }) => {
          asked.push(name);
          propose('answer', { name }, { id: name });
        },
      });
    const looker = suggestor('looker', {
      dependsOn: ['question'],
      use: agent,
      input: () => 'look',
      propose: ({ output, propose }) => propose('answer', { name: output }, { id: 'looker' }),
    });
    const convergence = defineConvergence({ suggestors: [quick('first'), looker, quick('last')] });
    const paused = await convergence.run({ facts: [ask] });
    expect(paused.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'looker/call_1' }] });
    const done = await paused.resume({ answers: { 'looker/call_1': approve() } });
    expect(done.termination).toEqual({ kind: 'converged', cycles: 1, facts: 4 });
    expect(done.facts.get('answer').map(({ id, by }) => [id, by])).toEqual([
      ['first', 'first'],
      ['looker', 'looker'],
      ['last', 'last'],
    ]);
    expect(asked).toEqual(['first', 'last']);
  });

  it('may wait for a person when a resume takes them up again beside others', async () => {
    let fails = true;
    const careful = pipeline('careful').stage('work', async (_, { context }) => {
      await context.step('try', () => {
        if (fails) throw new Error('not yet');
        return 'done';
      });
      return (await context.wait({ id: 'sure', type: 'approval' })).decision;
    });
    const unit = suggestor('unit', {
      dependsOn: ['question'],
      use: careful,
      input: () => undefined,
      propose: ({ output, propose }) => propose('answer', { output }, { id: 'unit' }),
    });
    const quick = suggestor('quick', {
      dependsOn: ['question'],
      execute: ({ propose }) => propose('answer', {}, { id: 'quick' }),
    });
    for (const alwaysReplay of [false, true]) {
      fails = true;
      const engine = memoryEngine();
      const convergence = defineConvergence({ suggestors: [unit, quick] });
      const failed = await convergence.run({ facts: [ask] }, { engine, runId: 'r', alwaysReplay });
      expect(failed.termination.kind).toBe('child_failed');
      fails = false;
      const paused = await failed.resume({ alwaysReplay });
      expect(paused.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'sure' }] });
      expect((await convergence.result('r', { engine }))?.facts.all()).toEqual(paused.facts.all());
      const done = await paused.resume({ answers: { sure: approve() }, alwaysReplay });
      expect(done.termination.kind).toBe('converged');
      expect(done.facts.get('answer').map(({ id }) => id)).toEqual(['unit', 'quick']);
      expect((await convergence.result('r', { engine }))?.facts.all()).toEqual(done.facts.all());
    }
  });

  it('are no failures when they are cut with the run, for whoever reads its journal', async () => {
    const engine = memoryEngine();
    const controller = new AbortController();
    const endless = pipeline('endless').stage('wait', (_, { context }) =>
      context.step('wait', () => new Promise<string>(() => controller.abort('enough'))),
    );
    const waiting = suggestor('waiting', {
      dependsOn: ['question'],
      use: endless,
      input: () => undefined,
      propose: () => undefined,
    });
    const convergence = defineConvergence({ suggestors: [waiting], graceMs: 10 });
    const ended = await convergence.run({ facts: [ask] }, { engine, runId: 'r', signal: controller.signal });
    expect(ended.termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
    expect(ended.failures).toEqual([]);
    expect((await convergence.result('r', { engine }))?.failures).toEqual([]);
  });

  it('give what they use no more than its own limits', async () => {
    const napping = pipeline('napping', { limits: { timeMs: 1000 } }).stage('nap', async (_, { context }) => {
      await context.sleep('nap', 3000);
      return 'slept';
    });
    const sleeper = suggestor('sleeper', {
      dependsOn: ['question'],
      use: napping,
      input: () => undefined,
      propose: ({ output, propose }) => propose('answer', { text: output }),
    });
    const engine = memoryEngine({ clock: simulatedClock() });
    const first = await defineConvergence({ suggestors: [sleeper] }).run({ facts: [ask] }, { engine });
    expect(first.termination).toMatchObject({
      kind: 'child_failed',
      child: { name: 'sleeper', path: 'sleeper' },
      termination: { kind: 'time_budget', limitMs: 1000 },
    });
  });

  it('end the run with the whole ending of an agent that failed, and run it again on resume', async () => {
    const model = scriptedModel([{ error: 'auth' }, { text: 'because' }]);
    const thinker = suggestor('thinker', {
      dependsOn: ['question'],
      use: defineAgent({ name: 'thinker', model }),
      input: () => 'why?',
      propose: ({ output, propose }) => propose('answer', { text: output }),
    });
    const engine = memoryEngine();
    const convergence = defineConvergence({ suggestors: [thinker] });
    const first = await convergence.run({ facts: [ask] }, { engine, runId: 'r' });
    expect(first.termination).toMatchObject({
      kind: 'child_failed',
      child: { name: 'thinker', path: 'thinker' },
      termination: { kind: 'provider_auth' },
    });
    const second = await first.resume();
    expect(second.termination).toMatchObject({ kind: 'converged', facts: 2 });
    expect(second.facts.latest('answer')?.payload).toEqual({ text: 'because' });
    expect((await convergence.result('r', { engine }))?.root).toBe(second.root);
  });

  it.each([undefined, '', ' ', 5])('fail where they refuse with %j, which is no reason', async (reason) => {
    const shy = suggestor('shy', { execute: ({ refuse }) => refuse(reason as never) });
    const { termination } = await defineConvergence({ suggestors: [shy] }).run();
    const message = expect.stringMatching(/^The suggestor "shy" failed: refuse was given .*; it needs a reason/);
    expect(termination).toMatchObject({ kind: 'failed', errorClass: 'configuration', error: { message } });
  });

  it('fail alone: what the others proposed is merged, and a resume asks the failed one again', async () => {
    let broken = true;
    const flaky = suggestor('flaky', {
      dependsOn: ['question'],
      execute: ({ propose }) => {
        if (broken) throw new Error('down');
        propose('answer', { text: 'late' }, { id: 'flaky' });
      },
    });
    const sound = suggestor('sound', {
      dependsOn: ['question'],
      execute: ({ propose }) => propose('answer', { text: 'now' }, { id: 'sound' }),
    });
    const first = await defineConvergence({ suggestors: [flaky, sound] }).run({ facts: [ask] });
    expect(first.termination).toMatchObject({
      kind: 'failed',
      origin: 'step',
      error: { message: 'The suggestor "flaky" failed: down' },
    });
    expect(first.facts.get('answer').map(({ id }) => id)).toEqual(['sound']);
    broken = false;
    const second = await first.resume();
    expect(second.termination).toEqual({ kind: 'converged', cycles: 2, facts: 3 });
    expect(second.failures).toMatchObject([{ suggestor: 'flaky', cycle: 1 }]);
  });

  it('fail and refuse without ending the run where they are optional', async () => {
    const flaky = suggestor('flaky', {
      dependsOn: ['question'],
      optional: true,
      execute: () => Promise.reject(new Error('down')),
    });
    const shy = suggestor('shy', {
      dependsOn: ['question'],
      optional: true,
      execute: ({ refuse }) => refuse('not mine'),
    });
    const result = await defineConvergence({ suggestors: [flaky, shy] }).run({ facts: [ask] });
    expect(result.termination).toEqual({ kind: 'converged', cycles: 1, facts: 1 });
    expect(result.failures).toMatchObject([
      { suggestor: 'flaky', error: { message: 'down' } },
      { suggestor: 'shy', refused: 'not mine' },
    ]);
  });

  it('try again by their policy, and are given up after their time', async () => {
    let attempts = 0;
    const retried = suggestor('retried', {
      dependsOn: ['question'],
      retry: { attempts: 3 },
      execute: ({ attempt, propose }) => {
        attempts = attempt;
        if (attempt < 3) throw new Error('not yet');
        propose('answer', { attempt });
      },
    });
    const slow = suggestor('slow', {
      dependsOn: ['question'],
      timeout: '5s',
      optional: true,
      execute: ({ clock }) => new Promise<void>((resolve) => void clock.callAt(clock.now() + 60_000, resolve)),
    });
    const clock = simulatedClock();
    const result = await defineConvergence({ suggestors: [retried, slow] }).run({ facts: [ask] }, { clock });
    expect(attempts).toBe(3);
    expect(result.facts.latest('answer')?.payload).toEqual({ attempt: 3 });
    expect(result.failures).toMatchObject([{ suggestor: 'slow', error: { code: 'STEP_TIMEOUT' } }]);
  });

  it('see their own rejections and may put them right', async () => {
    const careful = suggestor('careful', {
      execute: ({ rejections, propose }) =>
        propose('plan', { ok: true }, { id: rejections.length === 0 ? 'not allowed' : 'p' }),
    });
    const result = await defineConvergence({ suggestors: [careful] }).run();
    expect(result.termination).toMatchObject({ kind: 'converged', facts: 1 });
    expect(result.rejections).toHaveLength(1);
  });

  it('know what is left of the budgets around them', async () => {
    let left: unknown;
    const curious = suggestor('curious', {
      accepts: ({ cycle }) => cycle === 0,
      execute: ({ ledger, charge }) => {
        charge({ inputTokens: 5 });
        left = ledger.remaining();
      },
    });
    await defineConvergence({ suggestors: [curious], budgets: { tokens: 50 } }).run();
    expect(left).toEqual({ tokens: 50 });
  });

  it.each(['', 'input', 'engine', 'a/b'])('cannot be named %j', (name) => {
    expect(() => suggestor(name, { execute: () => undefined })).toThrow(/suggestor is named/);
  });

  it('need names of their own', () => {
    const twin = suggestor('twin', { execute: () => undefined });
    expect(() => defineConvergence({ suggestors: [twin, { ...twin }] })).toThrow(/Two suggestors are named "twin"/);
  });
});

describe('a convergence inside another run', () => {
  const approval = defineConvergence({
    name: 'approval',
    seed: (order: { readonly amount: number }) => [fact('order', order, { id: 'o' })],
    suggestors: [
      suggestor('clerk', {
        dependsOn: ['order'],
        execute: ({ propose }) => propose('decision', { ok: true }, { id: 'd' }),
      }),
    ],
    gates: [gate({ key: 'decision' })],
    output: (facts) => facts.latest<{ ok: boolean }>('decision')?.payload ?? null,
  });
  const outer = defineRun({
    name: 'outer',
    run: async (context, amounts: readonly number[]) => {
      const results = await Promise.all(
        amounts.map((amount) => context.child('approval', (inner) => approval.within(inner, { amount }))),
      );
      return {
        termination: terminations.flowCompleted({ last: 'approval' }),
        output: results.map(({ output }) => output ?? null),
      };
    },
  });

  it('pauses with it under ids of its own, and hands over its output', async () => {
    const engine = memoryEngine();
    const paused = await outer.run([1, 2], { engine, runId: 'r' });
    const gates = (paused.termination as { gates: readonly { gateId: string; path: string }[] }).gates;
    expect(gates.map(({ gateId, path }) => [gateId, path])).toEqual([
      ['approval/decision/d@1', 'approval'],
      ['approval#2/decision/d@1', 'approval#2'],
    ]);
    const answers = {
      'approval/decision/d@1': approve(),
      'approval#2/decision/d@1': approve({ input: { ok: false } }),
    };
    const done = await outer.resume('r', { engine, answers });
    expect(done.termination).toEqual({ kind: 'flow_completed', last: 'approval' });
    expect(done.output).toEqual([{ ok: true }, { ok: false }]);
  });

  it('continues with more of what it ran out of, where the resume names it', async () => {
    const counter = suggestor('counter', {
      accepts: ({ facts }) => facts.size < 4,
      execute: ({ facts, propose, charge }) => {
        charge({ inputTokens: 10 });
        propose('n', { n: facts.size });
      },
    });
    const limited = defineConvergence({ suggestors: [counter], budgets: { cycles: 1, tokens: 1000 } });
    const around = defineRun({
      name: 'around',
      run: async (context) => {
        const { termination } = await context.child('inner', (inner) => limited.within(inner, undefined));
        if (termination.kind === 'converged') return termination;
        return terminations.childFailed({ child: { name: 'inner', path: 'inner' }, termination });
      },
    });
    const engine = memoryEngine();
    const first = await around.run(undefined, { engine, runId: 'r' });
    expect(first.termination).toMatchObject({ kind: 'child_failed', termination: { kind: 'cycle_budget', used: 1 } });
    const changes = { at: 'inner', budgets: { cycles: 9, tokens: 20 } };
    const second = await around.resume('r', { engine, at: 'inner', changes });
    expect(second.termination).toMatchObject({ kind: 'child_failed', termination: { kind: 'token_budget', used: 20 } });
    const third = await around.resume('r', { engine, limits: { tokens: 500 } });
    expect(third.termination).toEqual({ kind: 'converged', cycles: 4, facts: 4 });
  });

  it('fails as a unit when its input cannot be', async () => {
    const plain = defineConvergence({ suggestors: [] });
    const bad = defineRun({
      name: 'bad',
      run: (context) => context.child('inner', (inner) => plain.within(inner, { facts: 5 } as never)),
    });
    expect((await bad.run(undefined)).termination).toMatchObject({ kind: 'failed', error: { code: 'INVALID_OPTION' } });
  });
});
