import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callModel } from '../../packages/fullstop/src/models/calls/call-model.js';
import {
  classifyModelError,
  type ModelFailure,
} from '../../packages/fullstop/src/models/errors/classify-model-error.js';
import type { LanguageModel } from '../../packages/fullstop/src/models/language-model.js';
import type { ModelMessage } from '../../packages/fullstop/src/models/message.js';
import type { ModelRequest } from '../../packages/fullstop/src/models/model-request.js';
import type { ModelDelta, ModelResponse } from '../../packages/fullstop/src/models/model-response.js';
import { loadModel } from '../../packages/fullstop/src/models/providers/provider.js';
import { createRecording, recordModel } from '../../packages/fullstop/src/models/scripted/record-model.js';
import { scriptedModel } from '../../packages/fullstop/src/models/scripted/scripted-model.js';
import { type ModelServer, startModelServer } from './servers/model-server.js';
import type { Answer, Reply } from './servers/reply.js';

let server: ModelServer;
let model: LanguageModel;

beforeAll(async () => {
  server = await startModelServer();
  model = createOpenAICompatible({ name: 'test', baseURL: server.url, apiKey: 'sk-1', includeUsage: true })(
    'test-model',
  );
});
afterAll(() => server.close());

const request: ModelRequest = { messages: [{ role: 'user', content: 'go' }] };
const ways = [
  ['whole', false],
  ['streamed', true],
] as const;

const ask = (reply: Reply, streamed = false, asked: ModelRequest = request): Promise<ModelResponse> => {
  server.reply(reply);
  return callModel(model, asked, streamed ? { onDelta: () => undefined } : {});
};

const failure = async (reply: Reply, streamed: boolean): Promise<ModelFailure> => {
  const error: unknown = await ask(reply, streamed).then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  return classifyModelError(error, { provider: model.provider });
};

describe('an answer', () => {
  const answers: readonly Answer[] = [
    { text: 'Hello there, how are you?' },
    { reasoning: 'They greet me.', text: 'Hello' },
    { toolCalls: [{ id: 'c1', name: 'search', arguments: '{"q":"a longer question"}' }] },
    {
      text: 'Let me look.',
      toolCalls: [
        { id: 'c1', name: 'search', arguments: '{"q":1}' },
        { id: 'c2', name: 'now', arguments: '{}' },
      ],
    },
    { toolCalls: [{ id: 'c1', name: 'search', arguments: '{"q": "cut o' }], finish: 'length' },
    { text: 'This answer was cut', finish: 'length' },
    { text: '', finish: 'content_filter' },
    { text: 'x', finish: 'something_new' },
    {
      text: 'x',
      usage: {
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 80 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
    },
  ];

  it.each(answers)('is the same whole and streamed: %j', async (answer) => {
    const whole = await ask(answer);
    const deltas: ModelDelta[] = [];
    server.reply(answer);
    const streamed = await callModel(model, request, { onDelta: (delta) => deltas.push(delta) });
    expect(streamed).toEqual(whole);
    expect(whole.text).toBe(answer.text ?? '');
    expect(JSON.parse(JSON.stringify(whole))).toEqual(whole);
    const joined = deltas.filter(({ type }) => type === 'text').map(({ text }) => text);
    expect(joined.join('')).toBe(whole.text);
  });

  it('is read in full', async () => {
    expect(await ask(answers[3] as Answer)).toEqual({
      text: 'Let me look.',
      toolCalls: [
        { id: 'c1', tool: 'search', input: { q: 1 } },
        { id: 'c2', tool: 'now', input: {} },
      ],
      finish: 'tool_calls',
      rawFinish: 'tool_calls',
      usage: { inputTokens: 12, outputTokens: 5, reasoningTokens: 0, cachedInputTokens: 0 },
      modelId: 'test-model-2026',
      responseId: 'chatcmpl-1',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 1 } },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'now', input: {} },
      ],
    } satisfies ModelResponse);
    expect((await ask(answers[8] as Answer)).usage).toEqual({
      inputTokens: 100,
      outputTokens: 50,
      reasoningTokens: 30,
      cachedInputTokens: 80,
    });
    expect(await ask(answers[7] as Answer)).toMatchObject({ finish: 'other', rawFinish: 'something_new' });
    expect((await ask(answers[4] as Answer)).toolCalls[0]).toMatchObject({ input: {}, invalid: '{"q": "cut o' });
  });
});

describe('a request', () => {
  it('says everything in the wire format', async () => {
    const messages: readonly ModelMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 'x' } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'json', value: [1] } }],
      },
    ];
    const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
    await ask({ text: 'ok' }, false, {
      messages,
      tools: [{ type: 'function', name: 'search', description: 'Finds things', inputSchema }],
      toolChoice: 'auto',
      maxOutputTokens: 100,
      temperature: 0.5,
      responseFormat: { type: 'json' },
      agent: 'planner',
    });
    expect(server.requests.at(-1)).toEqual({
      model: 'test-model',
      max_tokens: 100,
      temperature: 0.5,
      response_format: { type: 'json_object' },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: 'Looking',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":"x"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '[1]' },
      ],
      tools: [{ type: 'function', function: { name: 'search', description: 'Finds things', parameters: inputSchema } }],
      tool_choice: 'auto',
    });
  });

  it('can carry the last answer back', async () => {
    const first = await ask({ reasoning: 'hm', toolCalls: [{ id: 'c1', name: 'now', arguments: '' }] });
    const output = { type: 'text', value: 'noon' } as const;
    const messages: readonly ModelMessage[] = [
      ...request.messages,
      { role: 'assistant', content: first.content },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'now', output }] },
    ];
    await ask({ text: 'ok' }, false, { messages });
    expect(server.requests.at(-1)).toMatchObject({
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'noon' },
      ],
    });
  });
});

describe.each(ways)('a failure, %s', (_way, streamed) => {
  const body = (message: string, more: object = {}): object => ({
    error: { message, type: 'invalid_request_error', ...more },
  });
  const tooLong = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";

  it.each([
    [
      { status: 401, body: body('Incorrect API key provided', { code: 'invalid_api_key' }) },
      { type: 'auth', status: 401 },
    ],
    [
      { status: 403, body: body('Country not supported') },
      { type: 'auth', status: 403 },
    ],
    [
      { status: 429, headers: { 'retry-after': '2' }, body: body('Rate limit reached') },
      { type: 'rate_limit', status: 429, retryAfterMs: 2000, retryable: true },
    ],
    [
      { status: 429, body: body('Quota', { code: 'insufficient_quota' }) },
      { type: 'quota', status: 429, retryable: false },
    ],
    [
      { status: 500, body: body('The server had an error') },
      { type: 'unavailable', status: 500, retryable: true },
    ],
    [
      { status: 503, body: '<html>busy</html>' },
      { type: 'unavailable', status: 503, retryable: true },
    ],
    [
      { status: 400, body: body(tooLong, { code: 'context_length_exceeded' }) },
      { type: 'context_length', status: 400, limit: 8192, used: 9000, retryable: false },
    ],
    [
      { status: 413, body: body('Too large') },
      { type: 'context_length', status: 413 },
    ],
    [
      { status: 404, body: body('No such model') },
      { type: 'invalid_request', status: 404, retryable: false },
    ],
    [
      { status: 400, body: body('Bad schema') },
      { type: 'invalid_request', status: 400, retryable: false },
    ],
  ] as const)('%j is known for what it is', async (reply, expected) => {
    expect(await failure(reply, streamed)).toMatchObject({ ...expected, provider: 'test.chat' });
  });

  it('in the middle of the answer is an outage', async () => {
    const cut = { text: 'an answer of several words that will not arrive', cut: 'connection' } as const;
    expect(await failure(cut, streamed)).toMatchObject({ type: 'unavailable', retryable: true });
  });

  it('because nobody is there is an outage', async () => {
    const gone = await startModelServer();
    await gone.close();
    const nobody = createOpenAICompatible({ name: 'test', baseURL: gone.url })('m');
    const error: unknown = await callModel(nobody, request, streamed ? { onDelta: () => undefined } : {}).catch(
      (thrown: unknown) => thrown,
    );
    expect(classifyModelError(error, { provider: 'test' })).toMatchObject({ type: 'unavailable', retryable: true });
  });

  it('of a deadline is an abort, and the server is notified', async () => {
    server.reply({ text: 'too late', delayMs: 60_000 });
    const before = server.abandoned();
    const signal = AbortSignal.timeout(50);
    const error: unknown = await callModel(model, request, {
      signal,
      ...(streamed && { onDelta: () => undefined }),
    }).catch((thrown: unknown) => thrown);
    expect(error).toBe(signal.reason);
    expect(classifyModelError(error, { provider: 'test', signal })).toMatchObject({
      type: 'aborted',
      retryable: false,
    });
    await expect.poll(() => server.abandoned()).toBe(before + 1);
  });

  it('has nothing secret in it', async () => {
    const { error } = await failure({ status: 401, body: body('no') }, streamed);
    expect(JSON.stringify(error)).not.toContain('sk-1');
  });
});

describe('an answer that is none', () => {
  it.each([
    ['no JSON', { body: '{"choices": [{"message": ' }],
    ['another page', { body: '<html>Welcome</html>', headers: { 'content-type': 'text/html' } }],
    ['another shape', { body: { result: 'hello' } }],
    ['no choice', { body: { choices: [] } }],
    ['nothing', { body: '' }],
  ])('%s is malformed', async (_name, reply) => {
    expect(await failure(reply, false)).toMatchObject({ type: 'malformed', retryable: true });
  });

  it('a chunk that is no JSON is malformed', async () => {
    const reply = { body: 'data: {"choices": [\n\ndata: [DONE]\n\n', headers: { 'content-type': 'text/event-stream' } };
    expect(await failure(reply, true)).toMatchObject({ type: 'malformed', retryable: true });
  });

  it('a stream that ends too early, however politely, is an outage', async () => {
    const cut = { text: 'an answer of several words that will not arrive', cut: 'stream' } as const;
    expect(await failure(cut, true)).toMatchObject({ type: 'unavailable', retryable: true });
    const nothing = { body: '', headers: { 'content-type': 'text/event-stream' } };
    expect(await failure(nothing, true)).toMatchObject({ retryable: true });
  });

  it('an error in the middle of a stream means what it says', async () => {
    const error = { error: { message: 'Overloaded', type: 'server_error', code: 503 } };
    const reply = { body: `data: ${JSON.stringify(error)}\n\n`, headers: { 'content-type': 'text/event-stream' } };
    expect(await failure(reply, true)).toMatchObject({ type: 'unavailable', status: 503, retryable: true });
  });
});

describe('a model by name', () => {
  it('is loaded from the real package', async () => {
    const env = { OPENAI_COMPATIBLE_BASE_URL: server.url };
    const loaded = await loadModel('openai-compatible/by-name', { env });
    server.reply({ text: 'hello' }, { text: 'hello' });
    expect(await callModel(loaded, request)).toMatchObject({ text: 'hello' });
    expect(server.requests.at(-1)).toMatchObject({ model: 'by-name' });
    const streamed = await callModel(loaded, request, { onDelta: () => undefined });
    expect(streamed.usage).toMatchObject({ inputTokens: 12, outputTokens: 5 });
    expect(server.requests.at(-1)).toMatchObject({ stream_options: { include_usage: true } });
  });
});

describe('a recording of the real client', () => {
  it.each(ways)('plays the same again, %s', async (_way, streamed) => {
    const replies: readonly Reply[] = [
      { reasoning: 'hm', toolCalls: [{ id: 'c1', name: 'search', arguments: '{"q":1}' }] },
      { status: 429, headers: { 'retry-after': '2' }, body: { error: { message: 'slow down' } } },
      { text: 'Done.' },
    ];
    server.reply(...replies);
    const recording = createRecording();
    const live = recordModel(model, recording);
    const outcome = async (asked: LanguageModel): Promise<unknown> => {
      try {
        const { text, toolCalls, finish, usage } = await callModel(
          asked,
          request,
          streamed ? { onDelta: () => undefined } : {},
        );
        return { text, toolCalls, finish, usage };
      } catch (error) {
        const { type, status, retryAfterMs } = classifyModelError(error, { provider: 'x' });
        return { type, status, retryAfterMs };
      }
    };
    const first = [await outcome(live), await outcome(live), await outcome(live)];
    const played = scriptedModel(JSON.parse(JSON.stringify(recording.script())) as never);
    expect([await outcome(played), await outcome(played), await outcome(played)]).toEqual(first);
  });
});
