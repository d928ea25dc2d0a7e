import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAnthropic } from '@ai-sdk/anthropic';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAgent } from '../../packages/fullstop/src/agent/run-agent.js';
import type { LanguageModel } from '../../packages/fullstop/src/models/language-model.js';

type Reply = { readonly stop: string; readonly text: string } | { readonly html: string };

let server: Server;
let model: LanguageModel;
const replies: Reply[] = [];
const requests: { readonly messages: readonly { readonly role: string }[] }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const parsed = JSON.parse(body) as { messages: { role: string }[]; stream?: boolean };
      requests.push(parsed);
      const reply = replies.shift() ?? { html: '' };
      if ('html' in reply) response.writeHead(200, { 'content-type': 'text/html' }).end(reply.html);
      else if (parsed.stream === true)
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(eventsOf(reply));
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wholeOf(reply)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  model = createAnthropic({ baseURL, apiKey: 'sk-1' })('claude-test');
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise<void>((resolve) => server.close(() => resolve()));
});

const base = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test' };
const usage = { input_tokens: 3, output_tokens: 2 };

function wholeOf({ stop, text }: Extract<Reply, { stop: string }>): object {
  const content = text === '' ? [] : [{ type: 'text', text }];
  return { ...base, content, stop_reason: stop, stop_sequence: null, usage };
}

function eventsOf({ stop, text }: Extract<Reply, { stop: string }>): string {
  const block = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
  ];
  const events = [
    { type: 'message_start', message: { ...base, content: [], stop_reason: null, stop_sequence: null, usage } },
    ...(text === '' ? [] : block),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

describe.each([
  ['whole', false],
  ['streamed', true],
])('an agent with the client of Anthropic, its answers %s', (_, streamed) => {
  const run = (...given: readonly Reply[]) => {
    replies.splice(0, replies.length, ...given);
    requests.length = 0;
    return runAgent({
      model,
      prompt: 'go',
      retry: { initialDelayMs: 1 },
      ...(streamed && { onDelta: () => undefined }),
    });
  };

  it.each([
    ['end_turn', { kind: 'natural_end' }],
    ['stop_sequence', { kind: 'natural_end' }],
    ['max_tokens', { kind: 'output_truncated', reason: 'length' }],
    ['model_context_window_exceeded', { kind: 'prompt_too_long' }],
    ['refusal', { kind: 'agent_refused', by: 'model' }],
    ['something_new', { kind: 'natural_end', finishReason: 'something_new' }],
  ])('ends as it must after %s', async (stop, ending) => {
    expect((await run({ stop, text: 'words' })).termination).toMatchObject(ending);
  });

  it('continues a paused turn with the conversation', async () => {
    const result = await run({ stop: 'pause_turn', text: 'searching' }, { stop: 'end_turn', text: 'found' });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.text).toBe('found');
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('tells the model once that its answer was empty', async () => {
    const empty = { stop: 'end_turn', text: '' };
    expect((await run(empty, { stop: 'end_turn', text: 'here' })).termination).toEqual({ kind: 'natural_end' });
    expect((await run(empty, empty)).termination).toEqual({ kind: 'no_answer', attempts: 2 });
  });

  it('fails where the body is no answer of a model', async () => {
    const page = { html: '<html><body>Sign in</body></html>' };
    expect((await run(page, page, page)).termination).toMatchObject({ kind: 'provider_failed', attempts: 3 });
  });
});
