import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { callModel } from '../calls/call-model.js';
import { classifyModelError } from '../errors/classify-model-error.js';
import type { ModelResponse } from '../model-response.js';
import type { ScriptAnswer } from './script.js';
import { type ScriptedModel, scriptedModel } from './scripted-model.js';

const ask = (model: ScriptedModel, agent?: string): Promise<ModelResponse> =>
  callModel(model, { messages: [{ role: 'user', content: 'go' }], ...(agent !== undefined && { agent }) });

const failureOf = async (answer: ScriptAnswer, onDelta?: () => void): Promise<unknown> => {
  const request = { messages: [{ role: 'user', content: 'go' } as const] };
  const options = onDelta === undefined ? {} : { onDelta };
  const error: unknown = await callModel(scriptedModel([answer]), request, options).catch((thrown: unknown) => thrown);
  const { error: data, message, ...failure } = classifyModelError(error, { provider: 'scripted' });
  return failure;
};

describe('answers', () => {
  it('are given one after the other', async () => {
    const model = scriptedModel([{ text: 'a' }, { text: 'b' }]);
    expect([(await ask(model)).text, (await ask(model)).text]).toEqual(['a', 'b']);
  });

  it('are given to whoever they are for, and the rest to everyone else', async () => {
    const answers = { planner: [{ text: 'p' }], '*': [{ text: '1' }, { text: '2' }] };
    for (const form of [answers, { answers }]) {
      const model = scriptedModel(form);
      expect((await ask(model, 'writer')).text).toBe('1');
      expect((await ask(model, 'planner')).text).toBe('p');
      expect((await ask(model)).text).toBe('2');
      expect(model.used()).toEqual({ planner: 1, '*': 2 });
    }
  });

  it('are marked when they are objects, streamed or not, and are used as written', async () => {
    const answers = [{ output: { a: 1 } }, { outputText: '{"a": 1.0}' }, { output: [1] }, { text: '{"a": 1}' }];
    const given = async (options: Parameters<typeof callModel>[2]): Promise<readonly unknown[]> => {
      const model = scriptedModel(answers);
      const said: unknown[] = [];
      for (const _ of answers) {
        const { content } = await callModel(model, { messages: [{ role: 'user', content: 'go' }] }, options);
        said.push(...content);
      }
      return said;
    };
    const providerOptions = { fullstop: { structured: true } };
    const expected = [
      { type: 'text', text: '{"a":1}', providerOptions },
      { type: 'text', text: '{"a": 1.0}', providerOptions },
      { type: 'text', text: '[1]' },
      { type: 'text', text: '{"a": 1}' },
    ];
    expect(await given({})).toEqual(expected);
    expect(await given({ onDelta: () => undefined })).toEqual(expected);
  });

  it('may be for an agent that is called answers', async () => {
    expect((await ask(scriptedModel({ answers: [{ text: 'x' }] }), 'answers')).text).toBe('x');
  });

  it('are checked at the start', () => {
    expect(() => scriptedModel([{ txt: 'x' } as ScriptAnswer])).toThrow('answers.*[0].txt: unknown field');
  });

  it('have ids that depend only on their place', async () => {
    const call = { toolCalls: [{ tool: 'a' }, { tool: 'b' }, { tool: 'c', id: 'mine' }] };
    const model = scriptedModel({ planner: [{ text: 'x' }, call], '*': [call] }, { used: { planner: 1 } });
    expect((await ask(model, 'planner')).toolCalls.map(({ id }) => id)).toEqual([
      'planner_call_2',
      'planner_call_2_2',
      'mine',
    ]);
    expect((await ask(model)).toolCalls.map(({ id }) => id)).toEqual(['call_1', 'call_1_2', 'mine']);
  });

  it('may be made up', async () => {
    const model = scriptedModel(({ agent, index, options }) => ({
      text: `${agent} ${index} ${options.prompt.length}`,
    }));
    expect((await ask(model, 'a')).text).toBe('a 0 1');
    expect((await ask(model, 'a')).text).toBe('a 1 1');
    expect((await ask(model, 'b')).text).toBe('b 0 1');
    await expect(ask(scriptedModel(() => ({})))).rejects.toThrow('says nothing');
  });

  it('are announced', async () => {
    const calls: unknown[] = [];
    const model = scriptedModel([{ text: 'a' }], { onCall: ({ agent, index }) => calls.push([agent, index]) });
    await ask(model, 'planner');
    expect(calls).toEqual([['planner', 0]]);
  });
});

describe('a script that is used up', () => {
  it('is an error that says so', async () => {
    const model = scriptedModel({ planner: [{ text: 'a' }] });
    await ask(model, 'planner');
    await expect(ask(model, 'planner')).rejects.toMatchObject({
      code: 'SCRIPT_EXHAUSTED',
      message:
        'The script has no answer for "planner": it had 1 answer, and no more. Add one, or set exhausted: repeat-last.',
    });
    await expect(ask(model, 'writer')).rejects.toThrow('no answer for "writer": it has answers for "planner" only');
    await expect(ask(model)).rejects.toThrow('no answer for a caller without a name');
  });

  it.each([
    [{ answers: { '*': [{ text: 'a' }, { text: 'b' }] }, exhausted: 'repeat-last' } as const, {}],
    [[{ text: 'a' }, { text: 'b' }], { exhausted: 'repeat-last' } as const],
  ])('repeats its last answer if told to', async (script, options) => {
    const model = scriptedModel(script, options);
    const texts: string[] = [];
    for (let count = 0; count < 4; count += 1) texts.push((await ask(model)).text);
    expect(texts).toEqual(['a', 'b', 'b', 'b']);
  });

  it('can be distinguished from one that is not', async () => {
    const model = scriptedModel({ a: [{ text: '1' }, { text: '2' }], b: [{ text: '3' }] });
    await ask(model, 'b');
    expect(model.remaining()).toEqual({ a: 2 });
  });

  it('continues in another process where it stopped', async () => {
    const answers = [{ text: 'a' }, { text: 'b' }];
    const first = scriptedModel(answers);
    await ask(first);
    expect((await ask(scriptedModel(answers, { used: first.used() }))).text).toBe('b');
  });
});

describe('errors', () => {
  const base = { provider: 'scripted' };

  it.each([
    [
      { status: 429, retryAfter: '1.5s' },
      { type: 'rate_limit', status: 429, retryAfterMs: 1500, retryable: true },
    ],
    [{ status: 503 }, { type: 'unavailable', status: 503, retryable: true }],
    [
      { status: 400, message: 'no' },
      { type: 'invalid_request', status: 400, retryable: false },
    ],
    ['auth', { type: 'auth', status: 401, retryable: false }],
    ['context_length', { type: 'context_length', status: 400, retryable: false }],
    ['network', { type: 'unavailable', retryable: true }],
    ['stream_cut', { type: 'unavailable', retryable: true }],
    ['malformed', { type: 'malformed', retryable: true }],
  ] as const)('%j means what it says, streamed or not', async (error, expected) => {
    expect(await failureOf({ error })).toEqual({ ...base, ...expected });
    expect(await failureOf({ error }, () => undefined)).toEqual({ ...base, ...expected });
  });

  it('in the middle of a stream come in the middle', async () => {
    let deltas = 0;
    await failureOf({ text: 'one two three four five six', error: 'stream_cut' }, () => {
      deltas += 1;
    });
    expect(deltas).toBeGreaterThan(0);
    expect(deltas).toBeLessThan(6);
  });
});

describe('delays', () => {
  it('pass on the clock', async () => {
    const clock = simulatedClock(0);
    await ask(scriptedModel([{ text: 'x', delay: '90s' }], { clock }));
    expect(clock.now()).toBe(90_000);
  });

  it('end when the call is aborted, and leave no timer behind', async () => {
    const timers = new Set<object>();
    const clock = {
      now: () => 0,
      callAt: (): (() => void) => {
        const timer = {};
        timers.add(timer);
        return () => timers.delete(timer);
      },
    };
    const controller = new AbortController();
    const model = scriptedModel([{ text: 'x', delay: '1h' }], { clock });
    const call = model.doGenerate({ prompt: [], abortSignal: controller.signal });
    await Promise.resolve();
    controller.abort('enough');
    await expect(call).rejects.toBe('enough');
    expect(timers.size).toBe(0);
  });

  it('pass on the clock of the machine by default', async () => {
    const start = performance.now();
    await ask(scriptedModel([{ text: 'x', delay: '20ms' }]));
    expect(performance.now() - start).toBeGreaterThanOrEqual(15);
  });
});

describe('the AI SDK itself', () => {
  const search = tool({
    inputSchema: jsonSchema<{ q: string }>({ type: 'object', properties: { q: { type: 'string' } } }),
    execute: async ({ q }) => `found ${q}`,
  });
  const answers: readonly ScriptAnswer[] = [
    { toolCalls: [{ tool: 'search', input: { q: 'x' } }], usage: { inputTokens: 10, outputTokens: 5 } },
    { error: { status: 429, retryAfter: '1ms' } },
    { reasoning: 'so', text: 'done it', usage: { inputTokens: 20, outputTokens: 2 } },
  ];

  it('runs on a script, retries included', async () => {
    const result = await generateText({
      model: scriptedModel(answers),
      tools: { search },
      prompt: 'go',
      stopWhen: stepCountIs(5),
    });
    expect(result.text).toBe('done it');
    expect(result.reasoningText).toBe('so');
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'found x' }]);
    expect(result.totalUsage).toMatchObject({ inputTokens: 30, outputTokens: 7 });
  });

  it('streams from a script', async () => {
    const result = streamText({
      model: scriptedModel(answers),
      tools: { search },
      prompt: 'go',
      stopWhen: stepCountIs(5),
    });
    const texts: string[] = [];
    for await (const text of result.textStream) texts.push(text);
    expect(texts).toEqual(['done ', 'it']);
    expect(await result.finishReason).toBe('stop');
  });

  it('can say who asks', async () => {
    const model = scriptedModel({ planner: [{ text: 'p' }], '*': [{ text: 'x' }] });
    const result = await generateText({ model, prompt: 'go', providerOptions: { fullstop: { agent: 'planner' } } });
    expect(result.text).toBe('p');
  });

  it('sees our errors as its own', async () => {
    const call = generateText({ model: scriptedModel([{ error: 'auth' }]), prompt: 'go' });
    await expect(call).rejects.toMatchObject({ name: 'AI_APICallError', statusCode: 401 });
  });
});
