import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import type { RunContext } from '../run/run-context.js';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { eventsOf, runText } from './workflow.fixture.js';

describe('agents under an enforced budget', () => {
  const priced = 'cost: {pricing: {tiny: {input_per_mtok: 10, output_per_mtok: 20}}}';
  const text = (step: string, cost = priced): string => `
workflow:
  name: w
  entry_point: m
  limits: {budget_usd: 0.03, budget_mode: enforce}
  ${cost}
agents:
  - {name: m, model: tiny, prompt: spend, ${step}routes: [{to: z}]}
  - {name: z, type: set, value: after}
output: {v: "{{ z.output }}"}
`;
  const usage = { inputTokens: 2000, outputTokens: 100 };

  it('count the calls of a validator and of a dialog', async () => {
    const model = scriptedModel({
      m: [{ text: 'draft', usage }],
      'm (validator)': [{ output: { passed: true, issues: [] }, usage }],
    });
    const validated = await runText(text('validator: {criteria: "is short"}, '), { model });
    expect(validated.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.044 });
    const talking = scriptedModel({
      m: [{ text: 'draft', usage }],
      'm (dialog)': [{ output: { trigger: false, reason: '', question: '' }, usage }],
    });
    const talked = await runText(text('dialog: {trigger_prompt: "always"}, '), { model: talking });
    expect(talked.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.044 });
  });

  it.each([
    ['whose budget is a limit', false],
    ['that is looked at between steps', true],
  ])('say that it is a guess where a call did not say what it used, in a run %s', async (_, lenient) => {
    const inner = scriptedModel([{ text: 'draft' }], { exhausted: 'repeat-last' });
    const silent: LanguageModel = Object.assign(Object.create(inner) as LanguageModel, {
      doGenerate: async (options: never) => ({ ...((await inner.doGenerate(options)) as object), usage: {} }),
    });
    const costly = 'cost: {pricing: {tiny: {input_per_mtok: 100000, output_per_mtok: 100000}}}';
    const result = await runText(text('', costly), { model: silent, lenient });
    expect(result.termination).toMatchObject({ kind: 'cost_budget', limitUsd: 0.03, estimated: true });
    expect(result.estimated).toBe(true);
  });

  it('count what is known where one call has no price, and say that the rest is not known', async () => {
    const model = {
      ...scriptedModel([{ text: 'draft', usage: { inputTokens: 2000, outputTokens: 0 } }], {
        exhausted: 'repeat-last',
      }),
      provider: 'acme',
      modelId: 'tiny',
    };
    const judge = {
      ...scriptedModel([{ output: { passed: false, issues: ['long'] }, usage }]),
      provider: 'acme',
      modelId: 'judge',
    };
    const result = await runText(text('validator: {criteria: "is short", model: judge}, '), {
      models: { tiny: model, judge },
      provider: 'acme',
      allowUnknownPrices: true,
    });
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 });
    expect(result.observations).toContainEqual(expect.objectContaining({ type: 'budget_exceeded', unpriced: true }));
  });

  it('refuse a model without a price, also that of a validator, unless that is allowed', async () => {
    const named = (modelId: string) => ({ ...scriptedModel([{ text: 'ok', usage }]), provider: 'acme', modelId });
    const models = { tiny: named('tiny'), judge: named('judge') };
    await expect(runText(text('', ''), { models })).rejects.toMatchObject({ code: 'UNKNOWN_PRICE' });
    const judged = text('validator: {criteria: "is short", model: judge}, ');
    await expect(runText(judged, { models })).rejects.toMatchObject({
      code: 'UNKNOWN_PRICE',
      message: expect.stringContaining('acme/judge'),
    });
    expect((await runText(text('', ''), { models, allowUnknownPrices: true })).output).toEqual({ v: 'after' });
    // A template may name any model: that one is refused at its step.
    const late = text('', '').replace('model: tiny', `model: "{{ 'ti' ~ 'ny' }}"`);
    expect(rootCause((await runText(late, { models })).termination)).toMatchObject({
      kind: 'failed',
      error: {
        name: 'ProviderError',
        code: 'UNKNOWN_PRICE',
        message:
          'The file enforces a budget of $0.03, but the price of acme/tiny is not known. Give one for "acme/tiny" under cost.pricing, or allow unknown prices.',
      },
    });
  });

  it.each(['unk', 'openai/unk', 'openai.chat/unk'])(
    'start where the file has a price under the name %s',
    async (name) => {
      const source = `
workflow:
  name: w
  entry_point: first
  runtime: {provider: openai}
  limits: {budget_usd: 0.03, budget_mode: enforce}
  cost: {pricing: {"${name}": {input_per_mtok: 10, output_per_mtok: 20}}}
agents:
  - {name: first, type: set, value: done, routes: [{to: m, when: "{{ false }}"}, {to: $end}]}
  - {name: m, model: unk, prompt: hi}
output: {v: "{{ first.output }}"}
`;
      expect((await runText(source, {})).output).toEqual({ v: 'done' });
      const elsewhere = source.replace(`"${name}"`, '"other.chat/unk"');
      await expect(runText(elsewhere, {})).rejects.toMatchObject({ code: 'UNKNOWN_PRICE' });
    },
  );

  it.each(['tiny', 'acme/tiny', 'acme.chat/tiny'])('take the price of a model under the name %s', async (name) => {
    const answers = [{ text: 'ok', usage: { inputTokens: 10, outputTokens: 0 } }];
    const model = { ...scriptedModel(answers, { exhausted: 'repeat-last' }), modelId: 'tiny' };
    const models = { tiny: { ...model, provider: 'acme.chat' } };
    const priced = text('', `cost: {pricing: {"${name}": {input_per_mtok: 10, output_per_mtok: 20}}}`);
    for (const source of [priced, priced.replace('model: tiny', `model: "{{ 'ti' ~ 'ny' }}"`)])
      expect((await runText(source, { models })).output).toEqual({ v: 'after' });
    const unpriced = text('', '').replace('model: tiny', `model: "{{ 'ti' ~ 'ny' }}"`);
    expect(rootCause((await runText(unpriced, { models })).termination)).toMatchObject({
      error: { message: expect.stringContaining('Give one for "acme/tiny" under cost.pricing') },
    });
  });

  it('stop a step that fails and is led back to for ever', async () => {
    const model = scriptedModel({ m: [{ text: 'not json', usage }] }, { exhausted: 'repeat-last' });
    const result = await runText(
      text(
        'output: {n: {type: number}}, retry: {max_attempts: 1, max_parse_recovery_attempts: 0}, on_error: [{to: m}], ',
      ),
      { model },
    );
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.044 });
  });
});

describe('pipelines and convergences under an enforced budget', () => {
  const text = (more = ''): string => `
workflow: {name: w, entry_point: m, limits: {budget_usd: 0.03, budget_mode: enforce}}
agents:
  - {name: m, type: pipeline, use: "./unit.mjs#work"${more}, routes: [{to: z}]}
  - {name: z, type: set, value: after}
output: {v: "{{ z.output }}"}
`;
  const works = (costs: readonly number[], ending: 'good' | 'bad' = 'good') => ({
    name: 'work',
    kinds: ['natural_end', 'criteria_unmet'],
    within: async (context: RunContext) => {
      for (const costUsd of costs)
        await context.step('pay', ({ charge }) => charge({ inputTokens: 100, outputTokens: 0, costUsd }));
      if (ending === 'bad')
        return { termination: terminations.criteriaUnmet({ criteria: ['sum'] }), output: { tokens: 9 } };
      return { termination: terminations.naturalEnd(), output: { done: true } };
    },
  });
  const runWith = (work: unknown, more?: string) =>
    runText(text(more), { files: { 'unit.mjs': '' }, importModule: async () => ({ work }) });

  it('count what they have cost', async () => {
    expect((await runWith(works([0.02]))).output).toEqual({ v: 'after' });
    const result = await runWith(works([0.02, 0.02]));
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 });
    expect(result.observations).toContainEqual(expect.objectContaining({ type: 'budget_exceeded', spentUsd: 0.04 }));
  });

  it('count it also where they fail, and do not take their output for it', async () => {
    const result = await runWith(works([0.02], 'bad'), ', on_error: [{to: m}]');
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 });
    const once = await runWith(works([0.02], 'bad'), ', on_error: [{to: z}]');
    expect(once.output).toEqual({ v: 'after' });
    expect(once.observations.findLast(({ type }) => type === 'route')).toMatchObject({ costUsd: 0.02 });
  });

  it('and their agents are stopped at their next call', async () => {
    const model = scriptedModel(
      [{ toolCalls: [{ tool: 'again', input: {} }], usage: { inputTokens: 2000, outputTokens: 0 } }],
      {
        exhausted: 'repeat-last',
      },
    );
    const agent = defineAgent({
      name: 'agent',
      model,
      tools: { again: { execute: () => 'once more' } },
      prices: { [`${model.provider}/${model.modelId}`]: { inputPerMillion: 10, outputPerMillion: 20 } },
    });
    const work = pipeline('work').stage(
      'ask',
      using(agent, () => 'go'),
    );
    const result = await runWith(work);
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 });
  });
});

describe('an enforced budget', () => {
  const limits = 'limits: {budget_usd: 0.03, budget_mode: enforce, max_iterations: 500}';
  const pricing = 'cost: {pricing: {tiny: {input_per_mtok: 10, output_per_mtok: 20}}}';
  /** Each answer costs two cents. */
  const usage = { inputTokens: 2000, outputTokens: 0 };
  const calling = { toolCalls: [{ tool: 'again', input: {} }], usage };
  const toolsThat = (execute: () => unknown) => ({ again: { description: 'again', execute } });

  it('counts what an agent had spent when its time was up', async () => {
    const clock = simulatedClock();
    const text = `
workflow: {name: w, entry_point: m, ${limits.replace('enforce', 'audit')}, ${pricing}}
tools: [again]
agents:
  - {name: m, model: tiny, prompt: spend, tools: [again], timeout_seconds: 5, on_error: [{kind: time_budget, to: z}]}
  - {name: z, type: set, value: after}
output: {v: "{{ z.output }}"}
`;
    const model = scriptedModel({ m: [calling] }, { exhausted: 'repeat-last' });
    const tools = toolsThat(() => clock.sleep(1_000_000));
    const result = await runText(text, { model, tools, run: { engine: memoryEngine({ clock }) } });
    expect(result.output).toEqual({ v: 'after' });
    expect(result.observations.findLast(({ type }) => type === 'route')).toMatchObject({ from: 'z', costUsd: 0.02 });
  });

  const looping = (more = ''): string => `
workflow: {name: w, entry_point: m, ${limits}, ${pricing}}
tools: [again]
agents:
  - {name: m, model: tiny, prompt: spend, tools: [again]${more}, routes: [{to: z}]}
  - {name: z, type: set, value: after}
output: {v: "{{ z.output }}"}
`;
  const loopOf = (calls: number) => scriptedModel({ m: [...Array(calls).fill(calling), { text: 'done', usage }] });
  const tools = toolsThat(() => 'once more');

  it.each([false, true])(
    'stops an agent at its next call, and a resume continues there (alwaysReplay: %s)',
    async (alwaysReplay) => {
      const engine = memoryEngine({ clock: simulatedClock() });
      const first = await runText(looping(), { model: loopOf(6), tools, run: { engine, alwaysReplay } });
      expect(first.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 });
      expect((await eventsOf(first)).slice(-2)).toEqual(['budget_exceeded', 'workflow_failed']);
      await expect(first.resume({ budgetUsd: 0.04 })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
      const second = await first.resume({ budgetUsd: 0.07 });
      expect(second.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.07, usedUsd: 0.08 });
      const third = await second.resume({ budgetUsd: 1 });
      expect(third).toMatchObject({ output: { v: 'after' }, costUsd: 0.14 });
    },
  );

  it('is looked at only between steps by a lenient run, as in the reference', async () => {
    const result = await runText(looping(), { model: loopOf(6), tools, lenient: true });
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.14 });
  });

  it('is reached when exactly so much is spent, where it is a limit', async () => {
    const exact = looping().replace('budget_usd: 0.03', 'budget_usd: 0.02');
    const enforced = await runText(exact, { model: loopOf(0), tools });
    expect(enforced.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.02, usedUsd: 0.02 });
    expect((await runText(exact, { model: loopOf(0), tools, lenient: true })).output).toEqual({ v: 'after' });
    const audited = await runText(exact.replace('enforce', 'audit'), { model: loopOf(0), tools });
    expect(audited.output).toEqual({ v: 'after' });
    expect(audited.observations.some(({ type }) => type === 'budget_exceeded')).toBe(false);
  });

  it('is not evaded by steps that run out of time', async () => {
    const clock = simulatedClock();
    const text = looping(', timeout_seconds: 5, on_error: [{kind: time_budget, to: m}]');
    const model = scriptedModel({ m: [calling] }, { exhausted: 'repeat-last' });
    const slow = toolsThat(() => clock.sleep(1_000_000));
    const result = await runText(text, { model, tools: slow, run: { engine: memoryEngine({ clock }) } });
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 });
  });

  const items = Array.from({ length: 200 }, (_, index) => index);
  const group = (more = ''): string => `
workflow: {name: w, entry_point: all, ${limits}, ${pricing}, input: {items: {type: array}}}
agents: [{name: z, type: set, value: after}]
for_each:
  - name: all
    type: for_each
    source: workflow.input.items
    as: item
    max_concurrent: 2
    ${more}
    agent: {name: m, model: tiny, prompt: "{{ item }}"}
    routes: [{to: z}]
output: {v: "{{ all.count }}"}
`;

  it('stops a group whose members are many, and a resume does the rest', async () => {
    let calls = 0;
    const model = scriptedModel([{ text: 'said', usage }], {
      exhausted: 'repeat-last',
      onCall: () => {
        calls += 1;
      },
    });
    const first = await runText(group('failure_mode: continue_on_error'), { model, inputs: { items } });
    expect(first.termination).toMatchObject({ kind: 'cost_budget', limitUsd: 0.03 });
    // What is under way when it is reached still counts.
    expect(calls).toBeLessThanOrEqual(3);
    const rest = await first.resume({ budgetUsd: 100 });
    expect(rest.output).toEqual({ v: 200 });
    expect(calls).toBe(200);
    expect(rest.costUsd).toBeCloseTo(4);
  });

  it('counts what the others had spent when a group stops at its first failure', async () => {
    const text = `
workflow: {name: w, entry_point: p, ${limits.replace('enforce', 'audit')}, ${pricing}}
tools: [again]
agents:
  - {name: m, model: tiny, prompt: spend, tools: [again]}
  - {name: bad, type: script, command: sh, args: ["-c", "exit 3"]}
  - {name: z, type: set, value: after}
parallel: [{name: p, agents: [m, bad], failure_mode: fail_fast, on_error: [{to: z}]}]
output: {v: "{{ z.output }}"}
`;
    const failing = text.replace(
      'type: script, command: sh, args: ["-c", "exit 3"]',
      'type: pipeline, use: "./unit.mjs#bad"',
    );
    let called: () => void = () => undefined;
    const isCalled = new Promise<void>((resolve) => {
      called = resolve;
    });
    const bad = {
      name: 'bad',
      kinds: ['criteria_unmet'],
      within: async (context: RunContext) => {
        await context.step('wait', () => isCalled);
        return { termination: terminations.criteriaUnmet({ criteria: ['sum'] }) };
      },
    };
    const hanging = toolsThat(() => {
      called();
      return new Promise(() => undefined);
    });
    const model = scriptedModel({ m: [calling] });
    const options = { model, tools: hanging, files: { 'unit.mjs': '' }, importModule: async () => ({ bad }) };
    const result = await runText(failing, options);
    expect(result.output).toEqual({ v: 'after' });
    expect(result.observations.findLast(({ type }) => type === 'route')).toMatchObject({ from: 'z', costUsd: 0.02 });
  });

  const outer = (more = ''): string => `
workflow: {name: o, entry_point: c, ${pricing}}
tools: [again]
agents:
  - {name: c, type: workflow, workflow: child.yaml${more}}
  - {name: fix, type: set, value: "{{ ending.kind }}"}
output: {v: "{{ c.output.v | default('') }}{{ fix.output | default('') }}"}
`;

  it('of a sub-workflow stops it inside its steps, tells its hook, and is raised by a resume', async () => {
    const files = { 'child.yaml': looping().replace('name: w,', 'name: w, hooks: {on_error: "{{ error.type }}"},') };
    const told: string[] = [];
    const options = { files, tools, onHook: ({ workflow }: { readonly workflow: string }) => void told.push(workflow) };
    const first = await runText(outer(), { ...options, model: loopOf(6) });
    expect(first.termination).toMatchObject({
      kind: 'child_failed',
      child: { path: 'c' },
      termination: { kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 },
    });
    expect(told).toEqual(['w']);
    expect(await first.resume({ budgetUsd: 1 })).toMatchObject({ output: { v: 'after' }, costUsd: 0.14 });
    const routed = await runText(outer(', on_error: [{kind: cost_budget, to: fix}]'), { ...options, model: loopOf(6) });
    expect(routed.output).toEqual({ v: 'cost_budget' });
    expect(routed.observations.findLast(({ type }) => type === 'route')).toMatchObject({ from: 'fix', costUsd: 0.04 });
  });

  it('holds for members that are runs of their own, which continue when it is raised', async () => {
    const member = '{name: m, type: workflow, workflow: child.yaml, input_mapping: {n: "{{ item }}"}}';
    const text = group('spawn: queue').replace(/\{name: m, model.*\}\n/, `${member}\n`);
    const child = `
workflow: {name: c, entry_point: one, input: {n: {type: number}}, ${pricing}}
agents:
  - {name: one, model: tiny, prompt: go, routes: [{to: two}]}
  - {name: two, model: tiny, prompt: go, routes: [{to: three}]}
  - {name: three, model: tiny, prompt: go}
output: {v: "{{ three.output.result }}"}
`;
    const model = scriptedModel([{ text: 'said', usage }], { exhausted: 'repeat-last' });
    const first = await runText(text, { model, files: { 'child.yaml': child }, inputs: { items: [1, 2, 3] } });
    expect(rootCause(first.termination)).toMatchObject({ kind: 'cost_budget' });
    // One that is a run of its own ends by what was left for it; the budget is that of the workflow.
    const rest = await first.resume({ budgetUsd: 1, at: '' });
    expect(rest.output).toEqual({ v: 3 });
    expect(rest.costUsd).toBeCloseTo(0.18);
  });
});
