import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRecording, recordModel } from '../models/scripted/record-model.js';
import type { Script } from '../models/scripted/script.js';
import { type ScriptedAnswers, scriptedModel } from '../models/scripted/scripted-model.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import type { AgentResult } from './agent.js';
import { defineAgent } from './define-agent.js';
import { runAgent } from './run-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';

const call = (tool: string, input: Record<string, string>) => ({ text: 'let me see', toolCalls: [{ tool, input }] });

const live: ScriptedAnswers = {
  outer: [
    call('look', { q: 'x' }),
    { error: { status: 429, retryAfter: '1ms' } },
    call('helper', { prompt: 'help' }),
    { text: 'and then', error: 'stream_cut' },
    { text: 'not JSON' },
    { output: { score: 7 } },
  ],
  helper: [call('look', { q: 'y' }), { text: 'helped' }],
};

function agentWith(model: Parameters<typeof defineAgent>[0]['model']) {
  const look = { execute: (input: object) => input };
  const helper = defineAgent({ name: 'helper', model, tools: { look } });
  return defineAgent({
    name: 'outer',
    model,
    tools: { look, helper: agentAsTool(helper) },
    output: z.object({ score: z.number() }),
    retry: { initialDelayMs: 1 },
  });
}

const told = (result: AgentResult<never>): unknown => {
  const { termination, output, text, messages, iterations, toolCalls, children, usage } = result;
  return { termination, output, text, messages, iterations, toolCalls, children, usage };
};

describe('a run with a recorded model', () => {
  it.each(['whole', 'streamed'])('is played from the file as it was lived: %s', async (way) => {
    const options = way === 'whole' ? {} : { onDelta: () => undefined };
    const recording = createRecording();
    const lived = await agentWith(recordModel(scriptedModel(live), recording)).run('go', options);
    expect(lived.termination).toEqual({ kind: 'natural_end' });
    expect(lived.output).toEqual({ score: 7 });
    const file = JSON.parse(JSON.stringify(recording.script())) as Script;
    for (const other of [{}, { onDelta: () => undefined }]) {
      const model = scriptedModel(file);
      const played = await agentWith(model).run('go', other);
      expect(told(played as never)).toEqual(told(lived as never));
      expect(model.remaining()).toEqual({});
    }
  });

  const api = (status: number, body: object, headers = {}) =>
    Object.assign(new Error('the provider says no'), {
      name: 'AI_APICallError',
      statusCode: status,
      responseBody: JSON.stringify(body),
      responseHeaders: headers,
    });
  const tooLong = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";

  it.each([
    ['a bug of the model', new TypeError('x is not a function'), { kind: 'failed', errorClass: 'internal' }],
    ['something nobody knows', new Error('boom'), { kind: 'failed', error: { message: 'boom' } }],
    ['no money', api(429, { error: { code: 'insufficient_quota' } }), { kind: 'provider_quota', status: 429 }],
    ['no retry', api(500, {}, { 'x-should-retry': 'false' }), { kind: 'provider_failed', status: 500, attempts: 1 }],
    ['too long', new Error(tooLong), { kind: 'prompt_too_long', limit: 8192, used: 9000 }],
    [
      'a socket that broke',
      Object.assign(new Error('read'), { code: 'ECONNRESET' }),
      { kind: 'provider_failed', code: 'ECONNRESET' },
    ],
  ])('ends as it did when it met %s', async (_name, error, ending) => {
    const failing = { ...scriptedModel([{ text: 'never' }]), doGenerate: () => Promise.reject(error) };
    const recording = createRecording();
    const settings = { prompt: 'go', retry: { attempts: 2 } } as const;
    const lived = await runAgent({ ...settings, clock: simulatedClock(), model: recordModel(failing, recording) });
    expect(lived.termination).toMatchObject(ending);
    const model = scriptedModel(JSON.parse(JSON.stringify(recording.script())) as Script);
    const played = await runAgent({ ...settings, clock: simulatedClock(), model });
    expect(withoutStacks(played.termination)).toEqual(withoutStacks(lived.termination));
    expect(model.remaining()).toEqual({});
  });

  it('reports whether the model or a filter refused', async () => {
    const refusing = async () => ({
      content: [{ type: 'text', text: 'I will not' } as never],
      finishReason: { unified: 'other', raw: 'refusal' },
      usage: {},
    });
    const recording = createRecording();
    const model = recordModel({ ...scriptedModel([{ text: 'never' }]), doGenerate: refusing }, recording);
    const lived = await runAgent({ model, prompt: 'go' });
    expect(lived.termination).toMatchObject({ kind: 'agent_refused', by: 'model', reason: 'I will not' });
    const played = await runAgent({ model: scriptedModel(recording.script()), prompt: 'go' });
    expect(played.termination).toEqual(lived.termination);
  });
});

function withoutStacks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'stack' ? undefined : inner)));
}
