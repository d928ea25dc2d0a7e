import { createAnthropic } from '@ai-sdk/anthropic';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runAgent } from '../../packages/fullstop/src/agent/run-agent.js';
import { type ModelServer, startModelServer } from './servers/model-server.js';
import type { Reply } from './servers/reply.js';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

describe.each([
  ['whole', false],
  ['streamed', true],
])('the words of Anthropic alone, %s', (_, streamed) => {
  const run = (...replies: readonly Reply[]) => {
    server.reply(...replies);
    const model = createAnthropic({ baseURL: server.url, apiKey: 'sk-1' })('claude-test');
    return runAgent({ model, prompt: 'go', ...(streamed && { onDelta: () => undefined }) });
  };

  it.each([
    ['stop_sequence', { kind: 'natural_end' }],
    ['model_context_window_exceeded', { kind: 'prompt_too_long' }],
    ['refusal', { kind: 'agent_refused', by: 'model' }],
  ])('ends as it must after %s', async (finish, ending) => {
    expect((await run({ finish, text: 'words' })).termination).toMatchObject(ending);
  });

  it('continues a paused turn with the conversation', async () => {
    const result = await run({ finish: 'pause_turn', text: 'searching' }, { text: 'found' });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.text).toBe('found');
    expect(server.requests[1]).toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant' }] });
  });
});
