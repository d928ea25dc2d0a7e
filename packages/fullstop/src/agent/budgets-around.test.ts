import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import type { StopCondition } from '../stop/condition.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { defineAgent } from './define-agent.js';
import { runAgent } from './run-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';

const prices = { scripted: { inputPerMillion: 100, outputPerMillion: 100 } };
const fine = { text: 'fine', usage: { inputTokens: 10, outputTokens: 10 } };

/** An agent whose answers may have 1000 tokens ($0.10), and the caps that its model was given. */
function agentWithCap(
  answers: Parameters<typeof scriptedModel>[0],
  { settings, ...others }: { settings?: object; stopWhen?: readonly StopCondition[] } = {},
) {
  const caps: (number | undefined)[] = [];
  const model = scriptedModel(answers, {
    exhausted: 'repeat-last',
    onCall: ({ options }) => caps.push(options.maxOutputTokens),
  });
  const agent = defineAgent({ name: 'a', model, settings: { maxOutputTokens: 1000, ...settings }, prices, ...others });
  return { agent, caps };
}

/** An agent that asks another one several times at once, for free. */
function callerOf(agent: Parameters<typeof agentAsTool>[0], times: number) {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const toolCalls = Array.from({ length: times }, (_, index) => ({ tool: 'helper', input: { prompt: `${index}` } }));
  const model = scriptedModel([
    { toolCalls, usage },
    { text: 'done', usage },
  ]);
  return defineAgent({ name: 'caller', model, tools: { helper: agentAsTool(agent) }, prices });
}

describe('a budget around an agent', () => {
  it.each([
    ['cost', { costUsd: 0.01 }, 100],
    ['tokens', { tokens: 500 }, 500],
    ['cost whose quotient is just below a whole number', { costUsd: 0.009 }, 90],
    ['more than the cap', { costUsd: 0.15 }, 1000],
    ['less than one token', { costUsd: 0.000_05 }, 1],
  ])('lowers the cap of an answer to what it has left: %s', async (_, limits, cap) => {
    const ofPipeline = agentWithCap([fine]);
    const whole = await pipeline('p', { limits })
      .stage(
        's',
        using(ofPipeline.agent, () => 'hi'),
      )
      .run();
    const ofStage = agentWithCap([fine]);
    const stage = await pipeline('p')
      .stage(
        's',
        using(ofStage.agent, () => 'hi'),
        { limits },
      )
      .run();
    expect([whole.termination.kind, stage.termination.kind]).toEqual(['flow_completed', 'flow_completed']);
    expect([ofPipeline.caps, ofStage.caps]).toEqual([[cap], [cap]]);
    expect(whole.costUsd).toBe(0.002);
  });

  it('bounds the settings of a model too, at the price of that model', async () => {
    const { agent, caps } = agentWithCap([fine], { settings: { perModel: { scripted: { maxOutputTokens: 5000 } } } });
    const run = (limits: object) =>
      pipeline('p', { limits })
        .stage(
          's',
          using(agent, () => 'hi'),
        )
        .run();
    await run({ costUsd: 0.2 });
    await run({ tokens: 700 });
    expect(caps).toEqual([2000, 700]);
  });

  it('lets agents beside each other wait for what one of them may give back', async () => {
    const { agent, caps } = agentWithCap([fine]);
    const result = await pipeline('p', { limits: { costUsd: 0.15 } })
      .stage(
        'all',
        using(callerOf(agent, 3), () => 'go'),
      )
      .run();
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'all' });
    expect(result.costUsd).toBe(0.006);
    expect(caps).toEqual([1000, 1000, 1000]);
  });

  it('ends those that wait for it once it is used up', async () => {
    const { agent, caps } = agentWithCap([{ text: 'long', usage: { inputTokens: 500, outputTokens: 1000 } }]);
    const result = await pipeline('p', { limits: { costUsd: 0.15 } })
      .stage(
        'all',
        using(callerOf(agent, 2), () => 'go'),
      )
      .run();
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.15, usedUsd: 0.15 });
    expect(caps).toEqual([1000]);
  });

  it('holds nobody up who is cancelled while waiting for it', async () => {
    const { agent, caps } = agentWithCap([{ ...fine, delay: '1h' }]);
    const controller = new AbortController();
    const run = pipeline('p', { limits: { costUsd: 0.15 } })
      .stage(
        'all',
        using(callerOf(agent, 3), () => 'go'),
      )
      .run(undefined, { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    expect((await run).termination.kind).toBe('cancelled');
    expect(caps).toEqual([1000]);
  });

  it('ends what it is around when it has cut an answer short, and a resume with more of it continues', async () => {
    const cut = { text: 'and so', error: 'length', usage: { inputTokens: 20, outputTokens: 80 } } as const;
    const { agent, caps } = agentWithCap([cut, fine]);
    const staged = pipeline('p', { limits: { costUsd: 0.008 } }).stage(
      's',
      using(agent, () => 'hi'),
    );
    const result = await staged.run();
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.008, usedUsd: 0.01 });
    expect(result.also).toEqual([]);
    const more = await result.resume({ limits: { costUsd: 0.5 } });
    expect(more.termination).toEqual({ kind: 'flow_completed', last: 's' });
    expect(caps).toEqual([80, 1000]);
  });

  it('never blames itself for an answer that fills the own cap of the agent', async () => {
    const cut = { text: 'and so', error: 'length', usage: { inputTokens: 20, outputTokens: 1000 } } as const;
    const { agent } = agentWithCap([cut]);
    const result = await pipeline('p', { limits: { costUsd: 1 } })
      .stage(
        's',
        using(agent, () => 'hi'),
      )
      .run();
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'output_truncated', reason: 'length', cap: 1000 },
    });
  });

  it('is exceeded by the input of the calls at most', async () => {
    const helper = defineAgent({
      name: 'helper',
      model: scriptedModel([fine, { text: 'cut', error: 'length', usage: { inputTokens: 10, outputTokens: 30 } }]),
      settings: { maxOutputTokens: 40 },
    });
    const calls = ['a', 'b'].map((prompt) => ({ tool: 'helper', input: { prompt } }));
    const model = scriptedModel([{ toolCalls: calls, usage: { inputTokens: 0, outputTokens: 0 } }]);
    const options = { model, tools: { helper: agentAsTool(helper) }, prompt: 'go' };
    const result = await runAgent({ ...options, stopWhen: [tokenBudget({ total: 50 })] });
    expect(result.termination).toEqual({ kind: 'token_budget', limit: 50, used: 60 });
  });
});

describe('the own budget of an agent', () => {
  it('counts whole tokens where the quotient is just below one', async () => {
    const { agent, caps } = agentWithCap([fine], { stopWhen: [costBudget({ usd: 0.009 })] });
    await agent.run('hi');
    expect(caps).toEqual([90]);
  });
});
