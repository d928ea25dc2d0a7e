import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { defineAgent } from './define-agent.js';
import { approve } from './options/directive.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { toolError } from './tools/client-tool.js';
import { requireApproval } from './tools/tool.js';

const both = {
  toolCalls: [
    { tool: 'fast', input: { n: 1 } },
    { tool: 'slow', input: {} },
  ],
};

describe('a round that is cut in its middle', () => {
  it('keeps the results that are there when the run is cancelled, and repeats only the others on resume', async () => {
    const engine = memoryEngine();
    const controller = new AbortController();
    let isSlow = true;
    const made = { fast: 0, slow: 0 };
    const tools = {
      fast: {
        execute: (input: object) => {
          made.fast += 1;
          return input;
        },
      },
      slow: {
        execute: (_input: object, { abortSignal }: { readonly abortSignal: AbortSignal }) => {
          made.slow += 1;
          if (!isSlow) return 'slowly done';
          return new Promise((_, reject) => abortSignal.addEventListener('abort', () => reject(abortSignal.reason)));
        },
      },
    };
    const agent = defineAgent({ model: scriptedModel([both, { text: 'done' }]), tools });
    const onEntry = ({ type, key }: { readonly type: string; readonly key?: string | undefined }): void => {
      if (type === 'step_ended' && key?.includes('fast') === true) controller.abort('enough');
    };
    const result = await agent.run('go', { engine, signal: controller.signal, onEntry });
    expect(result.termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
    const fast = { tool: 'fast', iteration: 1, input: { n: 1 }, output: { type: 'json', value: { n: 1 } } };
    expect(result.toolCalls).toMatchObject([fast]);
    expect((await agent.result(result.runId, { engine }))?.toolCalls).toEqual(result.toolCalls);
    isSlow = false;
    const ended = await result.resume();
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(ended.toolCalls).toMatchObject([fast, { tool: 'slow', output: { value: 'slowly done' } }]);
    expect(made).toEqual({ fast: 1, slow: 2 });
  });

  it('keeps them while a person is asked', async () => {
    const model = scriptedModel([both, { text: 'done' }]);
    const tools = { fast: { execute: () => 'quick' }, slow: requireApproval({ execute: () => 'agreed' }) };
    const paused = await defineAgent({ model, tools }).run('go');
    expect(paused.termination.kind).toBe('interaction_pending');
    expect(paused.toolCalls).toMatchObject([{ tool: 'fast', output: { value: 'quick' } }]);
    const { requests } = paused.termination as Extract<typeof paused.termination, { kind: 'interaction_pending' }>;
    const ended = await paused.resume({ answers: { [requests[0]?.id ?? '']: approve() } });
    expect(ended.toolCalls.map(({ output }) => output)).toEqual([
      { type: 'text', value: 'quick' },
      { type: 'text', value: 'agreed' },
    ]);
  });

  it('has the endings of agents inside it', async () => {
    const controller = new AbortController();
    const model = scriptedModel({ outer: [both], helper: [{ text: 'helped' }] });
    const helper = defineAgent({
      name: 'helper',
      model,
      // After everything that is ready here has run: nothing outside this process takes part.
      hooks: { onEnd: () => void setTimeout(() => controller.abort(), 5) },
    });
    const slow = { execute: () => new Promise<never>(() => undefined) };
    const tools = { fast: agentAsTool(helper), slow };
    const outer = defineAgent({ name: 'outer', model, tools, graceMs: 20 });
    const result = await outer.run('go', { signal: controller.signal });
    expect(result.termination.kind).toBe('cancelled');
    expect(result.toolCalls).toMatchObject([
      { tool: 'fast', output: { value: { termination: { kind: 'natural_end' }, output: 'helped' } } },
    ]);
  });

  it('is reported alike by the run and by its journal when a limit cuts a sub-agent while an answer waits beside it', async () => {
    const engine = memoryEngine();
    const usage = { inputTokens: 10, outputTokens: 10 };
    const outer = [
      { tool: 'browser', input: {}, id: 'b' },
      { tool: 'helper', input: { prompt: 'x' }, id: 'h' },
    ];
    const model = scriptedModel({
      outer: [{ toolCalls: outer, usage }],
      helper: [
        { toolCalls: [{ tool: 'ask', input: {}, id: 'a' }], usage },
        { toolCalls: [{ tool: 'look', input: {}, id: 'l' }], usage },
      ],
    });
    const look = { execute: () => 'seen' };
    const helper = defineAgent({
      name: 'helper',
      model,
      tools: { ask: requireApproval({ execute: () => 'ok' }), look },
    });
    const agent = defineAgent({
      name: 'outer',
      model,
      tools: { browser: { description: 'outside' }, helper: agentAsTool(helper) },
      stopWhen: [tokenBudget({ total: 50 })],
    });
    const paused = await agent.run('go', { engine });
    const ended = await paused.resume({ answers: { b: toolError('closed'), 'helper:h/a': approve() } });
    expect(ended.termination).toMatchObject({ kind: 'token_budget', used: 60 });
    expect(ended.toolCalls).toEqual((await agent.result(ended.runId, { engine }))?.toolCalls);
  });
});
