import { describe, expect, it } from 'vitest';
import { type ScriptedCall, scriptedModel } from '../models/scripted/scripted-model.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { runAgent } from './run-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const call = (tool: string) => ({ toolCalls: [{ tool, input: {} }], usage });
const forever = { execute: () => new Promise<never>(() => undefined) };

describe('the time of an iteration', () => {
  it('cuts a model call in flight, without another attempt, and the run can be resumed', async () => {
    const clock = simulatedClock();
    const model = scriptedModel([{ text: 'slow', delay: '30s' }, { text: 'fast' }], { clock });
    const result = await runAgent({ model, prompt: 'go', clock, stopWhen: [timeout({ iteration: '5s' })] });
    expect(result.termination).toEqual({ kind: 'time_budget', limitMs: 5000, elapsedMs: 5000, scope: 'iteration' });
    expect(result.also).toEqual([]);
    const ended = await result.resume({ stopWhen: [timeout({ iteration: '60s' })] });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
  });

  it('cuts a tool in flight, whose call then has an error for a result', async () => {
    const clock = simulatedClock();
    const model = scriptedModel([call('forever'), { text: 'done' }]);
    const options = { model, tools: { forever }, prompt: 'go', clock };
    const result = await runAgent({ ...options, stopWhen: [timeout({ iteration: '5s' })] });
    expect(result.termination).toEqual({ kind: 'time_budget', limitMs: 5000, elapsedMs: 5000, scope: 'iteration' });
    expect(result.toolCalls).toMatchObject([{ tool: 'forever', error: { code: 'STEP_TIMEOUT' } }]);
  });

  it('lets no wait for a provider outlast it', async () => {
    const clock = simulatedClock();
    const model = scriptedModel([{ error: { status: 429, retryAfter: '20s' } }], { exhausted: 'repeat-last' });
    const result = await runAgent({ model, prompt: 'go', clock, stopWhen: [timeout({ iteration: '5s' })] });
    const seen = { status: 429, attempts: 1, retryAfterMs: 20_000 };
    expect(result.termination).toMatchObject({ kind: 'provider_failed', ...seen });
  });
});

describe('the time of a tool', () => {
  it('is its own, and never ends the run', async () => {
    const clock = simulatedClock();
    const model = scriptedModel([call('slow'), { text: 'done' }]);
    const result = await runAgent({ model, tools: { slow: { ...forever, timeout: '2s' } }, prompt: 'go', clock });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.toolCalls).toMatchObject([{ error: { code: 'STEP_TIMEOUT' } }]);
  });
});

describe('the time of a sub-agent', () => {
  it('is cut in flight by its own limit, by that of its call and by that of the iteration around it', async () => {
    const inner = { kind: 'time_budget', limitMs: 3000, elapsedMs: 3000, scope: 'run' };
    const run = (own: boolean, ofCall: boolean, ofIteration: boolean) => {
      const clock = simulatedClock();
      const model = scriptedModel(
        { outer: [call('helper'), { text: 'done', usage }], helper: [call('forever')] },
        { exhausted: 'repeat-last', clock },
      );
      const stopWhen = own ? [timeout({ run: '3s' })] : [];
      const helper = defineAgent({ name: 'helper', model, tools: { forever }, stopWhen });
      const tools = { helper: ofCall ? agentAsTool(helper, { timeout: '3s' }) : agentAsTool(helper) };
      const outer = ofIteration ? [timeout({ iteration: '3s' })] : [];
      return runAgent({ name: 'outer', model, tools, prompt: 'go', clock, stopWhen: outer });
    };
    for (const result of [await run(true, false, false), await run(false, true, false)]) {
      expect(result.termination).toEqual({ kind: 'natural_end' });
      expect(result.children).toMatchObject([{ termination: inner, usage: { totalTokens: 20 } }]);
      // What it used is in the sum although it was cut.
      expect(result.usage.totalTokens).toBe(60);
    }
    const cut = await run(false, false, true);
    expect(cut.termination).toMatchObject({ kind: 'time_budget', limitMs: 3000, scope: 'iteration' });
    expect(cut.children).toMatchObject([{ termination: inner }]);
  });
});

describe('the cap of answers', () => {
  it('is never more than the budgets have left', async () => {
    const caps: (number | undefined)[] = [];
    const model = scriptedModel([call('echo')], {
      exhausted: 'repeat-last',
      onCall: ({ options }) => caps.push(options.maxOutputTokens),
    });
    const options = { model, tools: { echo: { execute: () => 'x' } }, prompt: 'go', settings: { maxOutputTokens: 30 } };
    const result = await runAgent({ ...options, stopWhen: [tokenBudget({ total: 50 })] });
    expect(result.termination).toEqual({ kind: 'token_budget', limit: 50, used: 60 });
    expect(caps).toEqual([30, 30, 10]);
    caps.length = 0;
    const prices = { scripted: { inputPerMillion: 0, outputPerMillion: 1_000_000 } };
    const dear = await runAgent({ ...options, prices, stopWhen: [costBudget({ usd: 25 })] });
    expect(dear.termination).toEqual({ kind: 'cost_budget', limitUsd: 25, usedUsd: 30 });
    expect(caps).toEqual([25, 15, 5]);
  });

  it('is reserved: agents beside each other cannot both use the same rest of a budget', async () => {
    const answer = { text: 'x', usage: { inputTokens: 0, outputTokens: 40 } };
    const both = {
      toolCalls: [
        { tool: 'helper', input: { prompt: 'a' } },
        { tool: 'helper', input: { prompt: 'b' } },
      ],
    };
    const none = { inputTokens: 0, outputTokens: 0 };
    const outer = [
      { ...both, usage: none },
      { text: 'done', usage: none },
    ];
    const caps: (number | undefined)[] = [];
    const onCall = ({ agent, options }: ScriptedCall): void => {
      if (agent === 'helper') caps.push(options.maxOutputTokens);
    };
    const cut = { text: 'x', error: 'length', usage: { inputTokens: 0, outputTokens: 20 } } as const;
    const model = scriptedModel({ outer, helper: [answer, cut, answer] }, { onCall });
    const helper = defineAgent({ name: 'helper', model, settings: { maxOutputTokens: 40 } });
    const result = await runAgent({
      name: 'outer',
      model,
      tools: { helper: agentAsTool(helper) },
      prompt: 'go',
      stopWhen: [tokenBudget({ total: 60 })],
    });
    expect(result.termination).toMatchObject({ kind: 'token_budget', limit: 60 });
    expect(result.usage.totalTokens).toBe(60);
    expect(caps).toEqual([40, 20]);
    // Resumed with room for both, only what was refused or cut short is asked again.
    const more = await result.resume({ stopWhen: [tokenBudget({ total: 1000 })] });
    expect(more.termination.kind).toBe('natural_end');
  });

  it('ends the run as its budget when an answer is cut by it', async () => {
    const cut = { text: 'and so', error: 'length', usage: { inputTokens: 40, outputTokens: 30 } } as const;
    const options = { prompt: 'go', settings: { maxOutputTokens: 500 } };
    const result = await runAgent({ ...options, model: scriptedModel([cut]), stopWhen: [tokenBudget({ total: 70 })] });
    expect(result.termination).toEqual({ kind: 'token_budget', limit: 70, used: 70 });
  });

  it('is raised once, for good, when thinking used it up', async () => {
    const caps: (number | undefined)[] = [];
    const starved = { text: '', error: 'length', usage: { inputTokens: 5, outputTokens: 100 } } as const;
    const onCall = ({ options }: { readonly options: { readonly maxOutputTokens?: number } }) =>
      caps.push(options.maxOutputTokens);
    const options = { prompt: 'go', settings: { maxOutputTokens: 100 }, tools: { echo: { execute: () => 'x' } } };
    const model = scriptedModel([starved, call('echo'), { text: 'done', usage }], { onCall });
    const result = await runAgent({ ...options, model });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(caps).toEqual([100, 400, 400]);
    expect(result.usage.totalTokens).toBe(145);
    expect(result.iterations).toMatchObject([{ iteration: 1, answers: 2 }, { iteration: 2 }]);

    const twice = await runAgent({ ...options, model: scriptedModel([starved], { exhausted: 'repeat-last' }) });
    expect(twice.termination).toEqual({ kind: 'output_truncated', reason: 'thinking_starved', cap: 400 });
    const never = { ...options, raiseOutputCap: false } as const;
    const once = await runAgent({ ...never, model: scriptedModel([starved]) });
    expect(once.termination).toEqual({ kind: 'output_truncated', reason: 'thinking_starved', cap: 100 });
    const broken = await runAgent({ ...options, model: scriptedModel([starved, { error: 'auth' }]) });
    expect(broken.termination).toMatchObject({ kind: 'provider_auth' });
    expect(broken.also).toMatchObject([{ kind: 'output_truncated', reason: 'thinking_starved' }]);
  });
});
