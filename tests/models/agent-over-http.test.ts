import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentResult } from '../../packages/fullstop/src/agent/agent.js';
import { runAgent } from '../../packages/fullstop/src/agent/run-agent.js';
import type { LanguageModel } from '../../packages/fullstop/src/models/language-model.js';
import { timeout } from '../../packages/fullstop/src/stop/conditions/timeout.js';
import { type OpenAiServer, type Reply, startOpenAiServer } from './openai-server.js';

let server: OpenAiServer;
let model: LanguageModel;

beforeAll(async () => {
  server = await startOpenAiServer();
  const provider = createOpenAICompatible({ name: 'test', baseURL: server.url, apiKey: 'sk-1', includeUsage: true });
  model = provider('test-model');
});
afterAll(() => server.close());

const usage = { prompt_tokens: 100, completion_tokens: 10 };
const search: Reply = {
  text: 'Let me look.',
  toolCalls: [{ id: 'c1', name: 'search', arguments: '{"q":"nails"}' }],
  usage,
};
const tools = { search: { description: 'Searches', execute: ({ q }: { readonly q: string }) => `found ${q}` } };
const retry = { initialDelayMs: 1 };
const overflow: Reply = {
  status: 400,
  body: { error: { message: "This model's maximum context length is 8192 tokens.", code: 'context_length_exceeded' } },
};

/** Runs an agent against these replies of the server, streamed or not. */
function run(streamed: boolean, ...replies: readonly Reply[]): Promise<AgentResult> {
  server.reply(...replies);
  const onDelta = (): void => undefined;
  const options = { model, tools, retry, prompt: 'go', stopWhen: [timeout({ model: 1_000 })] };
  return runAgent({ ...options, ...(streamed && { onDelta }) }) as unknown as Promise<AgentResult>;
}

describe.each([
  ['whole', false],
  ['streamed', true],
])('an agent with a real client, its answers %s', (_, streamed) => {
  it('calls tools and ends by itself, with what the provider counted', async () => {
    const before = server.requests.length;
    const result = await run(streamed, search, { text: 'There are nails.', usage });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.toolCalls).toMatchObject([{ id: 'c1', output: { type: 'text', value: 'found nails' } }]);
    expect(result.usage).toEqual({ inputTokens: 200, outputTokens: 20, totalTokens: 220 });
    const [, second] = server.requests.slice(before);
    expect(second?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', tool_call_id: 'c1', content: 'found nails' },
    ]);
  });

  const busy: Reply = { status: 503, body: { error: { message: 'busy' } } };
  const cases: readonly (readonly [string, readonly Reply[], object])[] = [
    [
      '401',
      [{ status: 401, body: { error: { message: 'bad key' } } }],
      { kind: 'provider_auth', status: 401, message: 'bad key' },
    ],
    ['403', [{ status: 403, body: { error: { message: 'not yours' } } }], { kind: 'provider_auth', status: 403 }],
    [
      '429 without quota',
      [
        {
          status: 429,
          headers: { 'x-request-id': 'req_7' },
          body: {
            error: {
              message: 'You exceeded your current quota, please check your plan and billing details.',
              type: 'insufficient_quota',
              param: null,
              code: 'insufficient_quota',
            },
          },
        },
      ],
      {
        kind: 'provider_quota',
        status: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        requestId: 'req_7',
      },
    ],
    [
      '402',
      [{ status: 402, body: { error: { message: 'Insufficient Balance' } } }],
      { kind: 'provider_quota', status: 402, message: 'Insufficient Balance' },
    ],
    [
      '400 without credit',
      [{ status: 400, body: { error: { message: 'Your credit balance is too low.', type: 'invalid_request_error' } } }],
      { kind: 'provider_quota', status: 400 },
    ],
    ...[400, 404, 422].map(
      (status) =>
        [
          `${status}`,
          [{ status, headers: { 'x-request-id': 'req_8' }, body: { error: { message: 'not like this' } } }],
          { kind: 'failed', error: { message: 'not like this', data: { status, requestId: 'req_8' } } },
        ] as const,
    ),
    ['three times 503', [busy, busy, busy], { kind: 'provider_failed', status: 503, attempts: 3 }],
    ['503, then an answer', [busy, { text: 'back' }], { kind: 'natural_end' }],
    [
      '429 that asks for a long wait',
      [{ status: 429, headers: { 'retry-after': '600' }, body: { error: { message: 'slow down' } } }],
      { kind: 'provider_failed', status: 429, retryAfterMs: 600_000 },
    ],
    [
      '429 that asks for a short one',
      [{ status: 429, headers: { 'retry-after-ms': '5' }, body: { error: { message: 'slow down' } } }, { text: 'ok' }],
      { kind: 'natural_end' },
    ],
    ['an overflow', [overflow], { kind: 'prompt_too_long' }],
    ['an answer that is cut', [{ text: 'and then', finish: 'length' }], { kind: 'output_truncated', reason: 'length' }],
    ['a filter', [{ text: '', finish: 'content_filter' }], { kind: 'agent_refused', by: 'filter' }],
    ['an answer that is no JSON', [{ body: '<html>' }, { text: 'ok' }], { kind: 'natural_end' }],
    ['a slow answer', [{ text: 'late', delayMs: 3_000 }, { text: 'ok' }], { kind: 'natural_end' }],
  ];

  it.each(cases)('ends as it must after %s', async (_name, replies, ending) => {
    const result = await run(streamed, ...replies);
    expect(result.termination).toMatchObject(ending);
  });
});

it('an agent with a real client tries again when the connection breaks in the middle of a stream', async () => {
  const result = await run(true, { text: 'a long answer that breaks off', cut: 'connection' }, { text: 'whole' });
  expect(result.text).toBe('whole');
  expect(result.iterations).toMatchObject([{ attempts: 2 }]);
});
