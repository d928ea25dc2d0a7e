import { describe, expect, it } from 'vitest';
import { classifyModelError } from '../errors/classify-model-error.js';
import type { ModelCallOptions } from '../language-model.js';
import type { ModelRequest } from '../model-request.js';
import type { ModelDelta, ModelResponse } from '../model-response.js';
import type { ScriptAnswer } from '../scripted/script.js';
import { scriptedModel } from '../scripted/scripted-model.js';
import { asVersion, fixedModel, versions } from '../versions.fixture.js';
import { type CallModelOptions, callModel } from './call-model.js';

const request: ModelRequest = { messages: [{ role: 'user', content: 'go' }] };

const scripted: readonly ScriptAnswer[] = [
  { text: 'Here is the plan, in words' },
  { text: '', finish: 'stop' },
  { output: { score: 7, ready: true } },
  { reasoning: 'let me think about it', text: 'done' },
  {
    text: 'looking',
    toolCalls: [
      { tool: 'search', input: { q: 'x' } },
      { tool: 'now' },
      { tool: 'broken', inputText: '{"q": ' },
      { tool: 'list', input: [1, 2] },
    ],
    usage: { inputTokens: 900, outputTokens: 40, reasoningTokens: 5, cachedInputTokens: 100 },
  },
  { text: 'cut off', error: 'length', usage: { outputTokens: 16 } },
  { text: 'I', error: 'filter' },
  { finish: 'other' },
  { text: 'x', finish: 'error' },
  { text: 'x', finish: 'interrupted' },
  { error: 'length', usage: { inputTokens: 10, outputTokens: 0, reasoningTokens: 0 } },
];

describe('an answer', () => {
  it.each(versions.flatMap((version) => scripted.map((answer) => [version, answer] as const)))(
    'of %s is the same streamed or not: %j',
    async (version, answer) => {
      const whole = await callModel(asVersion(scriptedModel([answer]), version), request);
      const deltas: ModelDelta[] = [];
      const streamed = await callModel(asVersion(scriptedModel([answer]), version), request, {
        onDelta: (delta) => deltas.push(delta),
      });
      expect(streamed).toEqual(whole);
      const { rawFinish, ...usual } = await callModel(scriptedModel([answer]), request);
      // v2 has no place for the provider's own word.
      expect(whole).toEqual(version === 'v2' || rawFinish === undefined ? usual : { ...usual, rawFinish });
      const join = (type: ModelDelta['type']): string =>
        deltas
          .filter((delta) => delta.type === type)
          .map(({ text }) => text)
          .join('');
      expect(join('text')).toBe(whole.text);
      expect(join('reasoning')).toBe(whole.reasoning ?? '');
    },
  );

  it('has everything that is needed of it', async () => {
    expect(await callModel(scriptedModel([scripted[4] as ScriptAnswer]), request)).toEqual({
      text: 'looking',
      toolCalls: [
        { id: 'call_1', tool: 'search', input: { q: 'x' } },
        { id: 'call_1_2', tool: 'now', input: {} },
        { id: 'call_1_3', tool: 'broken', input: {}, invalid: '{"q": ' },
        { id: 'call_1_4', tool: 'list', input: [1, 2] },
      ],
      finish: 'tool_calls',
      usage: { inputTokens: 900, outputTokens: 40, reasoningTokens: 5, cachedInputTokens: 100 },
      modelId: 'scripted',
      responseId: 'response_call_1',
      content: [
        { type: 'text', text: 'looking' },
        { type: 'tool-call', toolCallId: 'call_1', toolName: 'search', input: { q: 'x' } },
        { type: 'tool-call', toolCallId: 'call_1_2', toolName: 'now', input: {} },
        { type: 'tool-call', toolCallId: 'call_1_3', toolName: 'broken', input: {} },
        { type: 'tool-call', toolCallId: 'call_1_4', toolName: 'list', input: [1, 2] },
      ],
    } satisfies ModelResponse);
  });

  it('has no usage where none was reported, and never a 0 when unknown', async () => {
    const response = await callModel(scriptedModel([{ text: 'x' }]), request);
    expect(response).not.toHaveProperty('usage');
    const odd = { inputTokens: Number.NaN, outputTokens: 3, reasoningTokens: -1 };
    const result = { content: [], finishReason: 'stop', usage: odd };
    expect((await callModel(fixedModel({ result }), request)).usage).toEqual({ outputTokens: 3 });
  });

  it.each([
    ['stop', { finish: 'stop' }],
    ['content-filter', { finish: 'content_filter' }],
    ['unknown', { finish: 'other' }],
    ['something-new', { finish: 'other' }],
    [undefined, { finish: 'other' }],
    [
      { unified: 'tool-calls', raw: 'tool_use' },
      { finish: 'tool_calls', rawFinish: 'tool_use' },
    ],
    [{ unified: 'interrupted', raw: undefined }, { finish: 'interrupted' }],
    [
      { unified: 'content-filter', raw: 'SAFETY' },
      { finish: 'content_filter', rawFinish: 'SAFETY' },
    ],
    // So clients report a refusal that they found in another member of the answer.
    [
      { unified: 'content-filter', raw: 'stop' },
      { finish: 'content_filter', rawFinish: 'refusal' },
    ],
    [
      { unified: 'content-filter', raw: undefined },
      { finish: 'content_filter', rawFinish: 'refusal' },
    ],
    [
      { unified: 'new', raw: 'pause_turn' },
      { finish: 'other', rawFinish: 'pause_turn' },
    ],
  ])('with the finish reason %j', async (finishReason, expected) => {
    const response = await callModel(fixedModel({ result: { content: [], finishReason, usage: {} } }), request);
    expect(response).toEqual({ text: '', toolCalls: [], content: [], ...expected });
  });
});

/** One answer with all that a provider may put into it, whole and as a stream. */
const marks = { anthropic: { signature: 'sig' } };
const full = {
  result: {
    content: [
      { type: 'reasoning', text: 'hm', providerMetadata: marks },
      { type: 'reasoning', text: '', providerMetadata: { anthropic: { redactedData: 'xyz' } } },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' },
      { type: 'tool-call', toolCallId: 'w1', toolName: 'web', input: '{"q":1}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'w1', toolName: 'web', result: { early: true }, preliminary: true },
      { type: 'tool-result', toolCallId: 'w1', toolName: 'web', result: { hits: 3 } },
      { type: 'text', text: '' },
      { type: 'text', text: 'Hello there', providerMetadata: { google: { thoughtSignature: 't' } } },
      { type: 'custom', kind: 'openai.compaction', providerMetadata: { openai: { itemId: 'i' } } },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      { type: 'hologram', data: {} },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '', providerMetadata: {} },
    ],
    finishReason: { unified: 'tool-calls', raw: 'tool_use' },
    usage: {
      inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
      outputTokens: { total: 5, text: 3, reasoning: 2 },
    },
    warnings: [
      { type: 'unsupported', feature: 'topK', details: 'no such thing' },
      { type: 'other', message: 'be careful' },
    ],
    providerMetadata: { anthropic: { cost: 1, gone: undefined }, openai: {} },
    response: { id: 'r1', modelId: 'm-2026', timestamp: new Date() },
  },
  parts: [
    {
      type: 'stream-start',
      warnings: [
        { type: 'unsupported', feature: 'topK', details: 'no such thing' },
        { type: 'other', message: 'be careful' },
      ],
    },
    { type: 'response-metadata', id: 'r1', modelId: 'm-2026', timestamp: new Date() },
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'hm' },
    { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: marks },
    { type: 'reasoning-end', id: '0' },
    { type: 'reasoning-start', id: '0', providerMetadata: { anthropic: { redactedData: 'xyz' } } },
    { type: 'reasoning-end', id: '0' },
    { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' },
    { type: 'tool-call', toolCallId: 'w1', toolName: 'web', input: '{"q":1}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'w1', toolName: 'web', result: { early: true }, preliminary: true },
    { type: 'tool-result', toolCallId: 'w1', toolName: 'web', result: { hits: 3 } },
    { type: 'text-start', id: 'a' },
    { type: 'text-start', id: 'b' },
    { type: 'text-delta', id: 'b', delta: 'Hello ' },
    { type: 'custom', kind: 'openai.compaction', providerMetadata: { openai: { itemId: 'i' } } },
    { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    { type: 'raw', rawValue: {} },
    { type: 'ping' },
    { type: 'hologram', data: {} },
    { type: 'tool-input-start', id: 'c1', toolName: 'look' },
    { type: 'tool-input-end', id: 'c1' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '', providerMetadata: {} },
    { type: 'text-delta', id: 'b', delta: 'there' },
    { type: 'text-end', id: 'b', providerMetadata: { google: { thoughtSignature: 't' } } },
    { type: 'text-end', id: 'a' },
    'not a part',
    {
      type: 'finish',
      finishReason: { unified: 'tool-calls', raw: 'tool_use' },
      usage: {
        inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
        outputTokens: { total: 5, text: 3, reasoning: 2 },
      },
      providerMetadata: { anthropic: { cost: 1, gone: undefined }, openai: {} },
    },
  ],
};

describe('what has to be sent back next time', () => {
  it('is kept verbatim, streamed or not', async () => {
    const whole = await callModel(fixedModel(full), request);
    expect(await callModel(fixedModel(full), request, { onDelta: () => undefined })).toEqual(whole);
    expect(whole).toEqual({
      text: 'Hello there',
      reasoning: 'hm',
      toolCalls: [{ id: 'c1', tool: 'look', input: {} }],
      finish: 'tool_calls',
      rawFinish: 'tool_use',
      usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 2, cachedInputTokens: 6 },
      modelId: 'm-2026',
      responseId: 'r1',
      warnings: ['unsupported: topK: no such thing', 'other: be careful'],
      providerMetadata: { anthropic: { cost: 1 }, openai: {} },
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: marks },
        { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'xyz' } } },
        { type: 'tool-call', toolCallId: 'w1', toolName: 'web', input: { q: 1 }, providerExecuted: true },
        { type: 'tool-result', toolCallId: 'w1', toolName: 'web', output: { type: 'json', value: { hits: 3 } } },
        { type: 'text', text: 'Hello there', providerOptions: { google: { thoughtSignature: 't' } } },
        { type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { itemId: 'i' } } },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} },
      ],
      sources: [{ sourceType: 'url', id: '1', url: 'https://example.com' }],
    } satisfies ModelResponse);
    expect(JSON.parse(JSON.stringify(whole))).toEqual(whole);
  });
});

describe('the request', () => {
  const sent = async (asked: ModelRequest, options?: CallModelOptions): Promise<ModelCallOptions> => {
    let call: ModelCallOptions | undefined;
    const result = { content: [], finishReason: 'stop', usage: {} };
    await callModel(fixedModel({ result, onCall: (seen) => (call = seen) }), asked, options);
    return call as ModelCallOptions;
  };

  it('carries nothing that was not given', async () => {
    expect(await sent(request)).toEqual({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] });
    expect((await sent({ ...request, tools: [] })).tools).toBeUndefined();
  });

  it('carries everything that was', async () => {
    const { signal } = new AbortController();
    const tool = { type: 'function', name: 'search', description: 'finds', inputSchema: { type: 'object' } } as const;
    const settings = { maxOutputTokens: 9, temperature: 0, topP: 1, topK: 2, seed: 3, stopSequences: ['END'] };
    const responseFormat = { type: 'json', schema: { type: 'object' }, name: 'score' } as const;
    const call = await sent(
      {
        ...request,
        ...settings,
        responseFormat,
        tools: [tool],
        toolChoice: { tool: 'search' },
        headers: { 'x-team': 'a' },
        providerOptions: { openai: { user: 'u' } },
        agent: 'planner',
      },
      { signal },
    );
    expect(call).toEqual({
      ...settings,
      responseFormat,
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
      tools: [tool],
      toolChoice: { type: 'tool', toolName: 'search' },
      headers: { 'x-team': 'a' },
      providerOptions: { openai: { user: 'u' }, fullstop: { agent: 'planner' } },
      abortSignal: signal,
    });
    expect((await sent({ ...request, toolChoice: 'required' })).toolChoice).toEqual({ type: 'required' });
  });

  it('names tools of the provider as the version does', async () => {
    const tool = { type: 'provider', id: 'openai.web_search', name: 'web', args: {} } as const;
    const seen: unknown[] = [];
    for (const version of versions) {
      const model = scriptedModel([{ text: 'x' }], { onCall: ({ options }) => seen.push(options.tools?.[0]?.type) });
      await callModel(asVersion(model, version), { ...request, tools: [tool] });
    }
    expect(seen).toEqual(['provider-defined', 'provider', 'provider']);
  });
});

describe('an answer that is none', () => {
  const finish = { type: 'finish', finishReason: 'stop', usage: {} };
  /** The end that clients make up for a stream that has none. */
  const wordless = { type: 'finish', finishReason: { unified: 'other', raw: undefined }, usage: {} };

  it.each([
    [{ result: undefined }, 'MALFORMED_ANSWER'],
    [{ result: { text: 'old form' } }, 'MALFORMED_ANSWER'],
    [{ result: { content: [{ type: 'tool-call', input: '{}' }] } }, 'MALFORMED_ANSWER'],
  ])('%j rejects with %s', async (answer, code) => {
    await expect(callModel(fixedModel(answer), request)).rejects.toMatchObject({ code });
  });

  it.each([
    [[], 'STREAM_CUT'],
    [[{ type: 'text-delta', id: '0', delta: 'The answ' }], 'STREAM_CUT'],
    [[{ type: 'tool-call', toolName: 'x' }, finish], 'MALFORMED_ANSWER'],
    [[wordless], 'MALFORMED_ANSWER'],
    // Some clients end a stream that was cut as if they had been told so.
    [[{ type: 'text-delta', id: '0', delta: 'The answ' }, wordless], 'STREAM_CUT'],
    [[{ type: 'response-metadata', id: 'r' }, wordless], 'STREAM_CUT'],
  ])('the stream %j rejects with %s', async (parts, code) => {
    const call = callModel(fixedModel({ parts }), request, { onDelta: () => undefined });
    await expect(call).rejects.toMatchObject({ code });
  });

  it.each([
    { ...wordless, usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } },
    { ...wordless, finishReason: { unified: 'other', raw: 'eos' } },
    { ...wordless, finishReason: 'unknown' },
  ])('a stream that ends with %j is an answer', async (end) => {
    const parts = [{ type: 'text-delta', id: '0', delta: 'whole' }, end];
    const call = callModel(fixedModel({ parts }), request, { onDelta: () => undefined });
    expect(await call).toMatchObject({ text: 'whole', finish: 'other' });
  });

  it('rejects without a stream', async () => {
    const model = { ...fixedModel({}), doStream: async () => ({}) as never };
    await expect(callModel(model, request, { onDelta: () => undefined })).rejects.toMatchObject({
      code: 'MALFORMED_ANSWER',
    });
  });

  it('rejects with what an error part carries, whatever it is', async () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const call = callModel(fixedModel({ parts: [{ type: 'error', error }, finish] }), request, {
      onDelta: () => undefined,
    });
    await expect(call).rejects.toBe(error);
    expect(classifyModelError(error, { provider: 'p' })).toMatchObject({ type: 'unavailable', retryable: true });
  });

  it('comes from a listener that throws? No: the answer is kept', async () => {
    const onDelta = (): never => {
      throw new Error('listener');
    };
    expect((await callModel(scriptedModel([{ text: 'fine' }]), request, { onDelta })).text).toBe('fine');
  });
});
