import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { defineAgent } from './define-agent.js';
import { runAgent } from './run-agent.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const call = { toolCalls: [{ tool: 'echo', input: { n: 1 } }], usage };
const tools = { echo: { execute: (input: object) => input } };

describe('an iteration with several rounds', () => {
  it('calls the model again with the results until it answers or the rounds are used up', async () => {
    for (const alwaysReplay of [false, true]) {
      const engine = memoryEngine();
      const agent = defineAgent({
        model: scriptedModel([call, call, call, { text: 'done', usage }]),
        tools,
        roundsPerIteration: 2,
      });
      const result = await agent.run('go', { engine, alwaysReplay });
      expect(result.termination).toEqual({ kind: 'natural_end' });
      expect(result.iterations).toMatchObject([
        { iteration: 1, answers: 2, toolCalls: 2, inputTokens: 20, outputTokens: 20, attempts: 2 },
        { iteration: 2, answers: 2, toolCalls: 1, text: 'done' },
      ]);
      expect(result.toolCalls.map(({ iteration }) => iteration)).toEqual([1, 1, 2]);
      expect((await agent.result(result.runId, { engine }))?.iterations).toEqual(result.iterations);
    }
  });

  it('counts as one towards the limit, and continues in its middle after a resume', async () => {
    const first = await runAgent({
      model: scriptedModel([call], { exhausted: 'repeat-last' }),
      tools,
      prompt: 'go',
      roundsPerIteration: 3,
      stopWhen: [maxIterations(2), tokenBudget({ total: 90 })],
    });
    expect(first.termination).toEqual({ kind: 'token_budget', limit: 90, used: 100 });
    expect(first.toolCalls.map(({ iteration }) => iteration)).toEqual([1, 1, 1, 2]);
    const second = await first.resume({ without: ['tokenBudget'] });
    expect(second.termination).toEqual({ kind: 'max_iterations', limit: 2, used: 2, unit: 'iteration' });
    expect(second.toolCalls.map(({ iteration }) => iteration)).toEqual([1, 1, 1, 2, 2, 2]);
  });

  it('tells the model to wrap up when the pressure comes up in its middle', async () => {
    const model = scriptedModel([call, call, { text: 'in short', usage }]);
    const result = await runAgent({
      model,
      tools,
      prompt: 'go',
      roundsPerIteration: 9,
      wrapUp: 'wrap up now',
      stopWhen: [tokenBudget({ total: 80 }), budgetPressure(0.5)],
    });
    expect(result.termination).toEqual({
      kind: 'budget_pressure',
      threshold: 0.5,
      resource: 'tokens',
      finalized: true,
    });
    expect(result.messages.at(-2)).toEqual({ role: 'user', content: 'wrap up now' });
  });
});

describe('a prompt for each iteration', () => {
  it('is all that goes to the model, with the instructions and what happens in the iteration', async () => {
    for (const alwaysReplay of [false, true]) {
      const prompts: string[][] = [];
      const model = scriptedModel([call, { toolCalls: [{ tool: 'echo', input: { n: 2 } }] }, call, { text: 'done' }], {
        onCall: ({ options }) => prompts.push(options.prompt.map(({ role }) => role)),
      });
      const seen: unknown[] = [];
      const result = await runAgent({
        model,
        tools,
        prompt: 'count',
        instructions: 'Be short.',
        roundsPerIteration: 2,
        promptFor: ({ iteration, input, text, toolCalls }) => {
          seen.push({ iteration, input: input.at(-1)?.content, text, results: toolCalls.map(({ output }) => output) });
          return `iteration ${iteration}`;
        },
        alwaysReplay,
      });
      expect(result.termination).toEqual({ kind: 'natural_end' });
      const json = (n: number) => ({ type: 'json', value: { n } });
      // Its answers are journalled: nobody is asked twice, however often the run is replayed.
      expect(seen).toEqual([
        { iteration: 1, input: 'count', text: '', results: [] },
        { iteration: 2, input: 'count', text: '', results: [json(1), json(2)] },
      ]);
      expect(prompts).toEqual([
        ['system', 'user'],
        ['system', 'user', 'assistant', 'tool'],
        ['system', 'user'],
        ['system', 'user', 'assistant', 'tool'],
      ]);
      expect(result.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant']);
    }
  });

  it('ends the run as failed when it cannot be written, and is asked for again on resume', async () => {
    let broken = true;
    const result = await runAgent({
      model: scriptedModel([{ text: 'done' }]),
      prompt: 'go',
      promptFor: () => {
        if (broken) throw new Error('no workspace');
        return 'write';
      },
    });
    expect(result.termination).toMatchObject({ kind: 'failed', origin: 'loop', error: { message: 'no workspace' } });
    expect(result.iterations).toEqual([]);
    broken = false;
    expect((await result.resume()).termination).toEqual({ kind: 'natural_end' });
  });

  it('fails when its prompt is no text, instead of sending "undefined"', async () => {
    const model = scriptedModel([{ text: 'done' }]);
    const result = await runAgent({ model, prompt: 'go', promptFor: (() => undefined) as never });
    expect(result.termination).toMatchObject({
      kind: 'failed',
      error: { message: 'promptFor returned nothing; it must return a text.' },
    });
    expect(result.usage.totalTokens).toBe(0);
  });
});
