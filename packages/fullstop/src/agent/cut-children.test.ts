import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';

const usage = { inputTokens: 30, outputTokens: 30 };
const ask = { toolCalls: [{ tool: 'helper', input: { prompt: 'help' }, id: 'c1' }], usage };
const echo = { execute: () => 'x' };
const echoed = { toolCalls: [{ tool: 'echo', input: {} }], usage };

const budgets = {
  token_budget: [tokenBudget({ total: 150 }), tokenBudget({ total: 1000 })],
  cost_budget: [costBudget({ usd: 0.00015 }), costBudget({ usd: 1 })],
  time_budget: [timeout({ run: 2500 }), timeout({ run: 60_000 })],
} as const;

describe.each(Object.entries(budgets))('an agent inside one whose %s is used up', (kind, [condition, more]) => {
  it('is among the children and tool calls with its ending and usage', async () => {
    for (const alwaysReplay of [false, true]) {
      const slow = kind === 'time_budget' ? { delay: '1s' } : {};
      const model = scriptedModel({
        outer: [ask, { text: 'done', usage }],
        helper: [
          { ...echoed, ...slow },
          { ...echoed, ...slow },
          { text: 'helped', usage, ...slow },
        ],
      });
      const prices = { [`${model.provider}/${model.modelId}`]: { inputPerMillion: 1, outputPerMillion: 1 } };
      const helper = defineAgent({ name: 'helper', model, prices, tools: { echo } });
      const outer = defineAgent({
        name: 'outer',
        model,
        prices,
        tools: { helper: agentAsTool(helper) },
        stopWhen: [condition],
      });
      const engine = memoryEngine({ clock: simulatedClock() });
      const result = await outer.run('go', { engine, alwaysReplay });
      expect(result.termination.kind).toBe(kind);
      const termination = { kind: 'cancelled', by: 'parent', cause: { kind } };
      expect(result.children).toMatchObject([{ name: 'helper', toolCallId: 'c1', termination, text: '' }]);
      expect(result.children[0]?.usage?.totalTokens).toBe(result.usage.totalTokens - 60);
      expect(result.toolCalls).toMatchObject([{ id: 'c1', tool: 'helper', output: { value: { termination } } }]);
      const again = await outer.result(result.runId, { engine });
      expect([again?.children, again?.toolCalls]).toEqual([result.children, result.toolCalls]);

      // A unit keeps the time that it was given when it was opened.
      if (kind === 'time_budget') continue;
      const resumed = await result.resume({ stopWhen: [more], alwaysReplay } as never);
      expect(resumed.termination).toEqual({ kind: 'natural_end' });
      expect(resumed.children).toMatchObject([
        { toolCallId: 'c1', termination: { kind: 'natural_end' }, text: 'helped' },
      ]);
      expect(resumed.toolCalls).toHaveLength(1);
    }
  });
});

const deepAsk = { toolCalls: [{ tool: 'deep', input: { prompt: 'dig' }, id: 'd1' }], usage };

describe.each(Object.entries(budgets))('agents inside an agent inside one whose %s is used up', (kind, [condition]) => {
  const slow = kind === 'time_budget' ? { delay: '1s' } : {};

  async function run(scripts: { readonly helper: readonly object[]; readonly deep: readonly object[] }) {
    const model = scriptedModel({ outer: [ask], helper: scripts.helper, deep: scripts.deep } as never);
    const prices = { [`${model.provider}/${model.modelId}`]: { inputPerMillion: 1, outputPerMillion: 1 } };
    const deep = defineAgent({ name: 'deep', model, prices, tools: { echo } });
    const helper = defineAgent({ name: 'helper', model, prices, tools: { deep: agentAsTool(deep), echo } });
    const tools = { helper: agentAsTool(helper) };
    const outer = defineAgent({ name: 'outer', model, prices, tools, stopWhen: [condition] });
    const engine = memoryEngine({ clock: simulatedClock() });
    const result = await outer.run('go', { engine });
    expect(result.termination.kind).toBe(kind);
    const again = await outer.result(result.runId, { engine });
    expect([again?.children, again?.toolCalls]).toEqual([result.children, result.toolCalls]);
    return result;
  }

  it('are in the tree with their endings and usage where they were cut off too', async () => {
    const busy = { ...echoed, ...slow };
    const { children } = await run({ helper: [deepAsk], deep: [echoed, busy, busy] });
    const termination = { kind: 'cancelled', by: 'parent', cause: { kind } };
    const below = { name: 'deep', toolCallId: 'd1', termination };
    expect(children).toMatchObject([{ name: 'helper', termination, children: [below] }]);
    const [helper] = children;
    expect(helper?.children?.[0]?.usage?.totalTokens).toBe((helper?.usage?.totalTokens ?? 0) - 60);
  });

  it('are in the tree with their own endings where they had ended before', async () => {
    const busy = { ...echoed, ...slow };
    const { children } = await run({
      helper: [deepAsk, busy, busy, busy],
      deep: [{ text: 'dug', usage: { inputTokens: 1, outputTokens: 1 } }],
    });
    const below = {
      name: 'deep',
      toolCallId: 'd1',
      termination: { kind: 'natural_end' },
      text: 'dug',
      usage: { totalTokens: 2 },
    };
    expect(children).toMatchObject([{ name: 'helper', termination: { kind: 'cancelled' }, children: [below] }]);
  });

  it('are there once after a resume that ends in the same way', async () => {
    // A unit keeps the time that it was given when it was opened.
    if (kind === 'time_budget') return;
    const first = await run({ helper: [deepAsk], deep: [echoed, echoed, echoed, echoed, echoed] });
    const larger = kind === 'token_budget' ? tokenBudget({ total: 300 }) : costBudget({ usd: 0.0003 });
    const second = await first.resume({ stopWhen: [larger] } as never);
    expect(second.termination.kind).toBe(kind);
    const limit = kind === 'token_budget' ? { limit: 300 } : { limitUsd: 0.0003 };
    const termination = { kind: 'cancelled', by: 'parent', cause: { kind, ...limit } };
    expect(second.children).toMatchObject([{ termination, children: [{ name: 'deep', termination }] }]);
    expect(second.children[0]?.children).toHaveLength(1);
    expect(second.children[0]?.usage?.totalTokens).toBe(second.usage.totalTokens - 60);
    expect(second.children[0]?.children?.[0]?.usage?.totalTokens).toBe(second.usage.totalTokens - 120);
  });
});

it('agents inside one whose call took too long are in the tree, however deep, while the others go on', async () => {
  const model = scriptedModel({
    outer: [ask, { text: 'done', usage }],
    helper: [deepAsk, { text: 'helped', usage }],
    deep: [{ toolCalls: [{ tool: 'deepest', input: { prompt: 'dig on' }, id: 'e1' }], usage }],
    deepest: [echoed, { text: 'late', usage, delay: '60s' }],
  });
  const deepest = defineAgent({ name: 'deepest', model, tools: { echo } });
  const deep = defineAgent({ name: 'deep', model, tools: { deepest: agentAsTool(deepest) } });
  const helper = defineAgent({ name: 'helper', model, tools: { deep: agentAsTool(deep, { timeout: '1s' }) } });
  const outer = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper) } });
  const engine = memoryEngine({ clock: simulatedClock() });
  const result = await outer.run('go', { engine });
  expect(result.termination).toEqual({ kind: 'natural_end' });
  const cut = { name: 'deepest', toolCallId: 'e1', termination: { kind: 'time_budget' } };
  const late = { name: 'deep', termination: { kind: 'time_budget', limitMs: 1000 }, children: [cut] };
  expect(result.children).toMatchObject([{ name: 'helper', termination: { kind: 'natural_end' }, children: [late] }]);
  const [inside] = result.children[0]?.children ?? [];
  expect(inside?.children?.[0]?.usage?.totalTokens).toBe((inside?.usage?.totalTokens ?? 0) - 60);
  expect((await outer.result(result.runId, { engine }))?.children).toEqual(result.children);
});
