import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { LanguageModel, ModelCallOptions } from '../models/language-model.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { consecutiveMistakes } from '../stop/conditions/consecutive-mistakes.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import type { JsonValue } from '../termination/json.js';
import { defineAgent } from './define-agent.js';
import type { IterationView, ResponseView } from './options/hooks.js';
import type { PrepareStep, StepPreparation } from './options/prepare-step.js';
import { runAgent } from './run-agent.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const call = (tool: string, input: JsonValue = {}): ScriptAnswer => ({ toolCalls: [{ tool, input }], usage });
const echo = { inputSchema: { type: 'object' }, execute: (input: object) => input };
const tools = { search: echo, write: echo };

/** A scripted model under a name of its own, with what it was asked. */
function recorded(modelId: string, answers: readonly ScriptAnswer[]) {
  const asked: ModelCallOptions[] = [];
  const inner = scriptedModel(answers);
  const model: LanguageModel = {
    specificationVersion: 'v3',
    provider: 'test',
    modelId,
    doGenerate: (options) => {
      asked.push(options);
      return inner.doGenerate(options);
    },
    doStream: (options) => {
      asked.push(options);
      return inner.doStream(options);
    },
  };
  return { model, asked };
}

const namesOf = ({ tools: offered = [] }: ModelCallOptions) => offered.map(({ name }) => name);

describe('prepareStep', () => {
  it('tells apart choices that differ deep inside, or in what is left out', async () => {
    const choices: readonly StepPreparation[] = [
      { settings: { providerOptions: { test: { effort: ['low'] } } } },
      { settings: { providerOptions: { test: { effort: ['high'] } } } },
      { settings: { providerOptions: { test: { effort: ['low'], more: 1 } } } },
      { settings: { providerOptions: { test: { effort: ['low'] } } }, activeTools: ['search'] },
      { settings: { providerOptions: { test: { effort: ['low'] } } }, activeTools: ['search', 'write'] },
      { settings: { providerOptions: { test: { effort: ['low'] } } } },
    ];
    const answers = [...choices.slice(1).map(() => call('search')), { text: 'done', usage }];
    const { model, asked } = recorded('one', answers);
    await runAgent({ model, tools, prompt: 'go', prepareStep: ({ modelCall }) => choices[modelCall - 1] ?? {} });
    const all = ['search', 'write'];
    const low = { effort: ['low'] };
    expect(asked.map((each) => [each.providerOptions?.['test'], namesOf(each)])).toEqual([
      [low, all],
      [{ effort: ['high'] }, all],
      [{ ...low, more: 1 }, all],
      [low, ['search']],
      [low, all],
      [low, all],
    ]);
  });

  it('chooses the model, the tools, the choice among them and the settings of one call', async () => {
    for (const alwaysReplay of [false, true]) {
      const cheap = recorded('cheap', [call('search'), { text: 'done', usage }]);
      const strong = recorded('strong', [call('write')]);
      const result = await runAgent({
        model: cheap.model,
        tools,
        settings: { temperature: 1, headers: { a: '1' } },
        prompt: 'go',
        alwaysReplay,
        prepareStep: ({ iteration }) =>
          iteration === 2
            ? {
                model: strong.model,
                activeTools: ['write'],
                toolChoice: { tool: 'write' },
                settings: { temperature: 0, headers: { b: 'secret' } },
              }
            : undefined,
      });
      expect(result.termination).toEqual({ kind: 'natural_end' });
      expect(cheap.asked.map(namesOf)).toEqual([
        ['search', 'write'],
        ['search', 'write'],
      ]);
      expect(strong.asked).toMatchObject([
        { toolChoice: { type: 'tool', toolName: 'write' }, temperature: 0, headers: { a: '1', b: 'secret' } },
      ]);
      expect(strong.asked.map(namesOf)).toEqual([['write']]);
      // The journal names the model and the tools; the values of headers are not in it.
      const prepared = {
        model: 'test/strong',
        tools: ['write'],
        toolChoice: { tool: 'write' },
        settings: { temperature: 0, headers: ['b'] },
      };
      expect(result.iterations.map((each) => each.prepared)).toEqual([undefined, prepared, undefined]);
      const journal = JSON.stringify(await result.journal());
      expect(journal).toContain('"prepared":{"model":"test/strong"');
      expect(journal).not.toContain('secret');
    }
  });

  it('sees where the run is, what was called and what that used', async () => {
    const views: object[] = [];
    await runAgent({
      model: scriptedModel([call('search', { n: 1 }), { text: 'done' }]),
      tools,
      prompt: 'go',
      prices: { 'scripted/scripted': { inputPerMillion: 1, outputPerMillion: 1 } },
      prepareStep: ({ iteration, modelCall, messages, toolCalls, usage: used, costUsd, model }) => {
        views.push({ iteration, modelCall, messages: messages.length, toolCalls, used, costUsd, id: model.modelId });
        return undefined;
      },
    });
    const search = { id: 'call_1', iteration: 1, tool: 'search', input: { n: 1 } };
    expect(views).toMatchObject([
      { iteration: 1, modelCall: 1, messages: 1, toolCalls: [], used: { totalTokens: 0 }, costUsd: 0 },
      { iteration: 2, modelCall: 2, messages: 3, toolCalls: [search], used: { totalTokens: 20 }, costUsd: 0.00002 },
    ]);
  });

  it('has other instructions and messages for one call, while the run keeps its own', async () => {
    const { model, asked } = recorded('one', [call('search'), call('search'), call('search'), { text: 'done' }]);
    const steps: (StepPreparation | undefined)[] = [];
    const result = await runAgent({
      model,
      tools,
      instructions: 'Be good',
      prompt: 'go',
      prepareStep: ({ messages, modelCall }) => {
        if (modelCall === 2) steps.push({ messages: messages.slice(-2) });
        else if (modelCall === 3) steps.push({ instructions: 'Be quick' });
        else if (modelCall === 4) steps.push({ messages: [...messages.slice(0, 2), { role: 'user', content: 'end' }] });
        else return undefined;
        return steps.at(-1);
      },
    });
    const roles = asked.map(({ prompt }) => prompt.map(({ role }) => role));
    expect(roles).toEqual([
      ['system', 'user'],
      ['system', 'assistant', 'tool'],
      ['system', 'user', 'assistant', 'tool', 'assistant', 'tool'],
      ['system', 'user', 'user'],
    ]);
    expect(asked.map(({ prompt }) => prompt[0]?.content)).toEqual(['Be good', 'Be good', 'Be quick', 'Be good']);
    expect(result.messages).toHaveLength(9);
    // What is the run's own is in the journal by its place.
    expect(result.iterations.map((each) => each.prepared?.messages)).toEqual([
      undefined,
      [{ from: 2, to: 4 }],
      undefined,
      [
        { from: 0, to: 2 },
        { role: 'user', content: 'end' },
      ],
    ]);
    expect(result.iterations[2]?.prepared).toEqual({ instructions: 'Be quick' });
  });

  it('keeps a tool that was not offered from being called', async () => {
    const made: string[] = [];
    const write = { ...echo, execute: () => made.push('write') };
    const result = await runAgent({
      model: scriptedModel([call('write'), call('write'), { text: 'done' }]),
      tools: { search: echo, write },
      prompt: 'go',
      prepareStep: () => ({ activeTools: ['search'] }),
      stopWhen: [consecutiveMistakes(2)],
    });
    expect(result.termination).toMatchObject({ kind: 'consecutive_mistakes' });
    expect(result.toolCalls[0]?.output).toEqual({
      type: 'error-text',
      value: 'There is no tool named "write"; there are: search.',
    });
    expect(made).toEqual([]);
  });

  it('is followed by the fallback models when the one that it chose cannot answer', async () => {
    const first = recorded('first', [{ text: 'never' }]);
    const fallback = recorded('fallback', [{ text: 'saved' }]);
    const result = await runAgent({
      model: first.model,
      fallbackModels: [fallback.model],
      retry: { attempts: 1 },
      prompt: 'go',
      prepareStep: () => ({ model: recorded('broken', [{ error: { status: 500 } }]).model }),
    });
    expect(result).toMatchObject({ termination: { kind: 'natural_end' }, text: 'saved' });
    expect(first.asked).toEqual([]);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['throws', () => Promise.reject(new Error('no route')), /no route/],
    ['returns something else', () => 'strong', /prepareStep is .*strong/],
    ['names an option that there is not', () => ({ tools: ['search'] }), /has no option "tools"/],
    ['names a tool that there is not', () => ({ activeTools: ['serch'] }), /did you mean "?search/i],
    [
      'chooses a tool that is not active',
      () => ({ activeTools: ['search'], toolChoice: { tool: 'write' } }),
      /toolChoice/,
    ],
    ['returns no model', () => ({ model: 'gpt-5' }), /Load it first/],
    ['returns no messages', () => ({ messages: [] }), /messages is/],
    ['returns settings that mean nothing', () => ({ settings: { temprature: 1 } }), /temperature/],
    ['returns instructions that are no text', () => ({ instructions: 1 }), /instructions is/],
    ['returns settings that are not JSON', () => ({ settings: { providerOptions: { a: { b: new Map() } } } }), /Map/],
  ])('that %s fails the run before the model is asked', async (_, prepareStep, message) => {
    const { model, asked } = recorded('one', [{ text: 'done' }]);
    const result = await runAgent({ model, tools, prompt: 'go', prepareStep: prepareStep as PrepareStep });
    expect(result.termination).toMatchObject({
      kind: 'failed',
      origin: 'hook',
      error: { message: expect.stringMatching(message), data: { hook: 'prepareStep' } },
    });
    expect(asked).toEqual([]);
  });

  it('cannot choose a model without a price where there is a budget for the cost', async () => {
    const prices = { 'test/cheap': { inputPerMillion: 1, outputPerMillion: 1 } };
    const options = {
      model: recorded('cheap', [{ text: 'done', usage }]).model,
      prompt: 'go',
      prices,
      stopWhen: [costBudget({ usd: 1 })],
      prepareStep: () => ({ model: recorded('strong', [{ text: 'done', usage }]).model }),
    };
    const result = await runAgent(options);
    expect(result.termination).toMatchObject({ kind: 'failed', error: { code: 'UNKNOWN_PRICE' } });
    expect((await runAgent({ ...options, allowUnknownPrices: true })).termination.kind).toBe('natural_end');
  });

  it('never gets more than the budgets have left, at the price of the model that it chose', async () => {
    const dear = recorded('dear', [{ text: 'done', usage }]);
    await runAgent({
      model: recorded('cheap', [{ text: 'never' }]).model,
      prompt: 'go',
      settings: { maxOutputTokens: 50 },
      prices: {
        'test/cheap': { inputPerMillion: 1, outputPerMillion: 1 },
        'test/dear': { inputPerMillion: 1, outputPerMillion: 10_000 },
      },
      stopWhen: [costBudget({ usd: 1 }), tokenBudget({ total: 1_000 })],
      prepareStep: () => ({ model: dear.model, settings: { maxOutputTokens: 5_000 } }),
    });
    expect(dear.asked[0]?.maxOutputTokens).toBe(100);
  });

  it('is asked once about each call, after every entry at which the process may die', async () => {
    const answers = [call('search'), call('write'), { text: 'done', usage }];
    // Answers by the conversation, so that whoever continues gets the answer that belongs there.
    const model = (): LanguageModel => ({
      ...recorded('one', answers).model,
      doGenerate: (options) => {
        const place = options.prompt.filter(({ role }) => role === 'assistant').length;
        return scriptedModel([answers[place] ?? { text: 'lost' }]).doGenerate(options);
      },
    });
    const agentWith = (asked: number[]) =>
      defineAgent({
        name: 'a',
        model: model(),
        tools,
        prepareStep: ({ modelCall }) => {
          asked.push(modelCall);
          return { activeTools: modelCall === 1 ? ['search'] : ['search', 'write'] };
        },
      });
    const engine = memoryEngine();
    const whole = await agentWith([]).run('go', { engine, runId: 'r' });
    expect(whole.termination.kind).toBe('natural_end');
    const journal = await whole.journal();
    for (let length = 1; length < journal.length; length += 1) {
      const again = memoryEngine();
      await again.importRun(journal.slice(0, length));
      const asked: number[] = [];
      const result = await agentWith(asked).resume('r', { engine: again });
      const known = journal
        .slice(0, length)
        .filter(({ type, key }) => type === 'step_ended' && key?.startsWith('model:'));
      expect([length, asked]).toEqual([length, [1, 2, 3].slice(known.length)]);
      expect(result.iterations).toEqual(whole.iterations);
      expect(result.termination).toEqual(whole.termination);
    }
  });

  it('holds when the run is resumed, and is asked about the new calls only', async () => {
    const { model, asked: requests } = recorded('one', [call('search'), call('search'), { text: 'done' }]);
    const asked: number[] = [];
    const first = await runAgent({
      model,
      tools,
      prompt: 'go',
      stopWhen: [maxIterations(1)],
      prepareStep: ({ modelCall }) => {
        asked.push(modelCall);
        return { activeTools: ['search'] };
      },
    });
    expect(first.termination.kind).toBe('max_iterations');
    const ended = await first.resume({ stopWhen: [maxIterations(5)] });
    expect(ended.termination.kind).toBe('natural_end');
    expect(asked).toEqual([1, 2, 3]);
    expect(requests.map(namesOf)).toEqual([['search'], ['search'], ['search']]);
  });

  it('works in a stream', async () => {
    const strong = recorded('strong', [{ text: 'streamed' }]);
    const stream = defineAgent({
      model: recorded('cheap', [{ text: 'never' }]).model,
      prepareStep: () => ({ model: strong.model }),
    }).stream('go');
    const chunks: string[] = [];
    for await (const chunk of stream.toUIMessageStream()) if ('delta' in chunk) chunks.push(chunk.delta);
    expect(chunks.join('')).toBe('streamed');
    expect(strong.asked).toHaveLength(1);
  });

  it('cannot change what it sees', async () => {
    const result = await runAgent({
      model: scriptedModel([call('search'), { text: 'done' }]),
      tools,
      prompt: 'go',
      prepareStep: ({ messages, toolCalls, usage: used }) => {
        expect(() => Object.assign(messages[0] as object, { content: 'spoilt' })).toThrow(TypeError);
        expect(() => (messages as unknown[]).push(1)).toThrow(TypeError);
        expect(() => Object.assign(used, { totalTokens: 0 })).toThrow(TypeError);
        if (toolCalls.length > 0)
          expect(() => Object.assign(toolCalls[0] as object, { tool: 'spoilt' })).toThrow(TypeError);
        return undefined;
      },
    });
    expect(result.termination.kind).toBe('natural_end');
  });
});

describe('hooks see the usage and the cost', () => {
  it('of the call, and of the run so far', async () => {
    const seen: object[] = [];
    await runAgent({
      model: scriptedModel([call('search'), { text: 'done', usage }]),
      tools,
      prompt: 'go',
      prices: { 'scripted/scripted': { inputPerMillion: 1, outputPerMillion: 2 } },
      hooks: {
        afterModel: ({ call: asked, usage: before, costUsd }: ResponseView) =>
          void seen.push({ asked, before: before.totalTokens, costUsd }),
        afterIteration: ({ usage: total, costUsd }: IterationView) => void seen.push({ total, costUsd }),
      } as never,
    });
    const used = { inputTokens: 10, outputTokens: 10, totalTokens: 20 };
    const asked = { model: 'scripted/scripted', attempts: 1, usage: used, costUsd: 0.00003 };
    expect(seen).toEqual([
      { asked, before: 0, costUsd: 0 },
      { total: used, costUsd: 0.00003 },
      { asked, before: 20, costUsd: 0.00003 },
      { total: { inputTokens: 20, outputTokens: 20, totalTokens: 40 }, costUsd: 0.00006 },
    ]);
  });
});
