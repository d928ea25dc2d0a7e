import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { runAgent } from './run-agent.js';

const search = tool({
  description: 'Searches',
  inputSchema: z.object({ q: z.string() }),
  execute: async ({ q }) => ({ found: q.toUpperCase() }),
});

function calls(...names: readonly [tool: string, input: Record<string, string>][]): ScriptAnswer {
  return {
    toolCalls: names.map(([name, input]) => ({ tool: name, input })),
    usage: { inputTokens: 10, outputTokens: 5 },
  };
}

const done: ScriptAnswer = { text: 'done', usage: { inputTokens: 20, outputTokens: 2 } };

describe('the agent loop', () => {
  it('calls tools of the AI SDK until the model gives its final answer', async () => {
    const model = scriptedModel([calls(['search', { q: 'x' }], ['search', { q: 'y' }]), done]);
    const result = await runAgent({ model, tools: { search }, prompt: 'go', instructions: 'be brief' });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.output).toBe('done');
    expect(result.text).toBe('done');
    expect(result.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant']);
    expect(result.toolCalls.map(({ input, output }) => [input, output])).toEqual([
      [{ q: 'x' }, { type: 'json', value: { found: 'X' } }],
      [{ q: 'y' }, { type: 'json', value: { found: 'Y' } }],
    ]);
    expect(result.iterations.map(({ iteration, toolCalls }) => [iteration, toolCalls])).toEqual([
      [1, 2],
      [2, 0],
    ]);
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 7, totalTokens: 37 });
    expect(result.costUsd).toBeNull();
    expect(result.children).toEqual([]);
  });

  it('reaches the same result when the body is dropped and replayed after every step', async () => {
    const model = scriptedModel([
      calls(['search', { q: 'x' }], ['search', { q: 'y' }]),
      calls(['search', { q: 'z' }]),
      done,
    ]);
    const engine = memoryEngine();
    const agent = defineAgent({ model, tools: { search } });
    const result = await agent.run('go', { engine, alwaysReplay: true });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.toolCalls).toHaveLength(3);
    const read = await agent.result(result.runId, { engine });
    expect({ ...read, resume: null, journal: null }).toEqual({ ...result, resume: null, journal: null });
  });

  it('tells the model what was wrong with its calls instead of ending', async () => {
    const broken = tool({
      inputSchema: z.object({}),
      execute: async (): Promise<string> => {
        throw new Error('no luck');
      },
    });
    const model = scriptedModel([
      {
        toolCalls: [
          { tool: 'nope', input: {} },
          { tool: 'search', input: { q: 3 } },
          { tool: 'broken', input: {} },
          { tool: 'search', inputText: '{"q":' },
        ],
      },
      done,
    ]);
    const result = await runAgent({ model, tools: { search, broken }, prompt: 'go' });
    expect(result.termination.kind).toBe('natural_end');
    expect(result.toolCalls.map(({ output }) => output.type)).toEqual(Array(4).fill('error-text'));
    const texts = result.toolCalls.map(({ error }) => error?.message ?? '');
    expect(texts[0]).toContain('no tool named "nope"');
    expect(texts[1]).toContain('q: ');
    expect(texts[2]).toBe('no luck');
    expect(texts[3]).toContain('not valid JSON');
  });

  it('stops at 50 iterations unless another limit is given', async () => {
    const model = scriptedModel([calls(['search', { q: 'x' }])], { exhausted: 'repeat-last' });
    const usual = await runAgent({ model, tools: { search }, prompt: 'go' });
    expect(usual.termination).toEqual({ kind: 'max_iterations', limit: 50, used: 50, unit: 'iteration' });
    const own = await runAgent({ model, tools: { search }, prompt: 'go', stopWhen: [maxIterations(3)] });
    expect(own.termination).toEqual({ kind: 'max_iterations', limit: 3, used: 3, unit: 'iteration' });
  });

  it('continues where it stopped with a larger limit, here and from the journal alone', async () => {
    const answers = Array.from({ length: 6 }, () => calls(['search', { q: 'x' }]));
    const model = scriptedModel([...answers, done]);
    const engine = memoryEngine();
    const agent = defineAgent({ model, tools: { search }, stopWhen: [maxIterations(2)] });
    const first = await agent.run('go', { engine, runId: 'r' });
    expect(first.toolCalls).toHaveLength(2);
    await expect(first.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const second = await first.resume({ stopWhen: [maxIterations(4)], guidance: 'Hurry.' });
    expect(second.termination).toEqual({ kind: 'max_iterations', limit: 4, used: 4, unit: 'iteration' });
    expect(second.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'go',
      'Hurry.',
    ]);
    const third = await agent.resume('r', { engine, stopWhen: [maxIterations(9)], alwaysReplay: true });
    expect(third.termination).toEqual({ kind: 'natural_end' });
    expect(third.toolCalls).toHaveLength(6);
    expect(model.remaining()).toEqual({});
    const read = await agent.result('r', { engine });
    expect(read?.messages).toEqual(third.messages);
  });

  it('asks again with the delay that the provider asks for', async () => {
    const model = scriptedModel([{ error: { status: 429, retryAfter: '2s' } }, done]);
    const result = await runAgent({ model, prompt: 'go', clock: simulatedClock() });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.durationMs).toBe(2000);
    expect(result.iterations[0]?.attempts).toBe(2);
  });
});
