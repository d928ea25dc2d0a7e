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
