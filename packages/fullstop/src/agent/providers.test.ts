import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { runAgent } from './run-agent.js';

describe('a model that cannot answer', () => {
  it('is asked again, then the fallback models', async () => {
    const model = scriptedModel([{ error: { status: 500 } }], { exhausted: 'repeat-last' });
    const second = scriptedModel([{ error: 'auth' }]);
    const third = scriptedModel([{ text: 'here' }]);
    const result = await runAgent({ model, fallbackModels: [second, third], prompt: 'go', clock: simulatedClock() });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.iterations[0]?.attempts).toBe(5);
  });

  it('ends the run with what it knows, and is asked again on resume', async () => {
    const model = scriptedModel([
      { error: { status: 503 } },
      { error: { status: 503 } },
      { error: 'network' },
      { text: 'back' },
    ]);
    const clock = simulatedClock();
    const failed = await runAgent({ model, prompt: 'go', clock });
    expect(failed.termination).toEqual({
      kind: 'provider_failed',
      attempts: 3,
      provider: 'scripted',
      code: 'ECONNREFUSED',
      message: 'Cannot connect to API: the script has no network here.',
    });
    expect(failed.summary).toBe(
      'The call to scripted failed after 3 attempts (ECONNREFUSED): Cannot connect to API: the script has no network here.',
    );
    const ended = await failed.resume();
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(ended.messages).toHaveLength(2);
  });

  it('times out per attempt', async () => {
    const clock = simulatedClock();
    const model = scriptedModel([{ text: 'slow', delay: '30s' }, { text: 'fast' }], { clock });
    const result = await runAgent({ model, prompt: 'go', clock, stopWhen: [timeout({ model: '5s' })] });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    const slow = scriptedModel([{ text: 'slow', delay: '30s' }], { clock, exhausted: 'repeat-last' });
    const late = await runAgent({ model: slow, prompt: 'go', clock, stopWhen: [timeout({ model: '5s' })] });
    expect(late.termination).toEqual({ kind: 'time_budget', limitMs: 5000, elapsedMs: 5000, scope: 'model' });
  });

  it('is cut off by the time of the run, and a tool by its own', async () => {
    const clock = simulatedClock();
    const model = scriptedModel([{ text: 'slow', delay: '30s' }], { clock });
    const cut = await runAgent({ model, prompt: 'go', clock, stopWhen: [timeout({ run: '2s' })] });
    expect(cut.termination).toEqual({ kind: 'time_budget', limitMs: 2000, elapsedMs: 2000, scope: 'run' });
    const tools = { nap: { execute: () => clock.sleep(60_000) } };
    const napping = scriptedModel([{ toolCalls: [{ tool: 'nap' }] }, { text: 'done' }]);
    const result = await runAgent({ model: napping, tools, prompt: 'go', clock, stopWhen: [timeout({ tool: '1s' })] });
    expect(result.termination.kind).toBe('natural_end');
    expect(result.toolCalls[0]?.error?.code).toBe('STEP_TIMEOUT');
  });

  it('is charged by estimate when it reports no usage', async () => {
    const result = await runAgent({ model: scriptedModel([{ text: 'done' }]), prompt: 'go' });
    expect(result.usage.totalTokens).toBeGreaterThan(0);
  });
});

describe('a run with a budget', () => {
  const usage = { inputTokens: 25, outputTokens: 25 };

  it('continues with a larger one, with the calls that were still to be made', async () => {
    const made: number[] = [];
    const engine = memoryEngine();
    const model = scriptedModel([
      { toolCalls: [{ tool: 'work' }], usage },
      { text: 'done', usage },
    ]);
    const agent = defineAgent({
      model,
      tools: { work: { execute: () => made.push(1) } },
      stopWhen: [tokenBudget({ total: 50 })],
    });
    const stopped = await agent.run('go', { engine, runId: 'r' });
    expect(stopped.termination).toEqual({ kind: 'token_budget', limit: 50, used: 50 });
    expect(made).toEqual([]);
    await expect(stopped.resume({ stopWhen: [tokenBudget({ total: 40 })] })).rejects.toMatchObject({
      code: 'LIMIT_UNCHANGED',
    });
    const ended = await agent.resume('r', { engine, without: ['tokenBudget'] });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(made).toEqual([1]);
  });

  it('writes an observation at every evaluation point but a call right after an iteration, where nothing is new', async () => {
    const model = scriptedModel([
      { toolCalls: [{ tool: 'work' }], usage },
      { text: 'done', usage },
    ]);
    const result = await runAgent({ model, tools: { work: { execute: () => 1 } }, prompt: 'go' });
    const entries = await result.journal();
    const points = entries.flatMap((entry) => (entry.type === 'observed' ? [entry.data['point']] : []));
    expect(points).toEqual(['before_call', 'after_response', 'after_tools', 'after_iteration', 'after_response']);
  });
});

describe('fallback models', () => {
  const run = async (first: object) => {
    const fallback = scriptedModel([{ text: 'from the fallback' }]);
    const model = scriptedModel([first] as never, { exhausted: 'repeat-last' });
    const options = { model, fallbackModels: [fallback], prompt: 'go', clock: simulatedClock() };
    const { termination, text } = await runAgent(options as never);
    return { kind: termination.kind, fromFallback: text === 'from the fallback' };
  };

  it.each(['auth', 'context_length', 'network', 'stream_cut', { status: 402 }, { status: 404 }])(
    'are asked after a call that failed: %j',
    async (error) => {
      expect(await run({ error })).toEqual({ kind: 'natural_end', fromFallback: true });
    },
  );

  it.each([
    [{ finish: 'stop' }, 'no_answer'],
    [{ text: 'half', error: 'length' }, 'output_truncated'],
    [{ text: 'I will not', error: 'refusal' }, 'agent_refused'],
    [{ text: 'no', error: 'filter' }, 'agent_refused'],
  ])('are not asked after an answer that is of no use: %j', async (answer, kind) => {
    expect(await run(answer)).toEqual({ kind, fromFallback: false });
  });
});
