import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine } from '../engines/port/engine.js';
import type { LanguageModel } from '../models/language-model.js';
import { parseScript } from '../models/scripted/parse-script.js';
import { createRecording, recordModel } from '../models/scripted/record-model.js';
import type { Script } from '../models/scripted/script.js';
import { type ScriptedAnswers, scriptedModel } from '../models/scripted/scripted-model.js';
import { fixedModel } from '../models/versions.fixture.js';
import { loadRun, saveRun } from '../testing/recorded-run.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import type { AgentResult } from './agent.js';
import { defineAgent } from './define-agent.js';
import { isModelKey } from './machine/agent-key.js';
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

  it.each([
    ['v3', (data: string) => ({ data })],
    ['v4', (data: string) => ({ data: { type: 'data', data } })],
    ['v4', () => ({ data: { type: 'url', url: new URL('https://files.example/b.png') } })],
  ] as const)(
    'has its files, sources, signed thoughts and what the provider performed: %s, %#',
    async (version, file) => {
      const rich: readonly (readonly object[])[] = [
        [
          { type: 'text', text: 'Before. ', providerMetadata: { openai: { itemId: 'i1' } } },
          { type: 'reasoning', text: 'signed', providerMetadata: { anthropic: { signature: 's1' } } },
          { type: 'tool-call', toolCallId: 'w', toolName: 'web', input: '{"q":1}', providerExecuted: true },
          { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: { hits: 2 } },
          { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example', title: 'A' },
          { type: 'file', mediaType: 'image/png', ...file('iVBORw0K'), providerMetadata: { google: { thought: 't' } } },
          { type: 'text', text: ' ' },
          { type: 'tool-call', toolCallId: 'l', toolName: 'look', input: '{"q":"x"}' },
          { type: 'tool-call', toolCallId: 'l', toolName: 'look', input: 'no JSON' },
          { type: 'custom', kind: 'own.kind', providerMetadata: { own: { id: 'c' } } },
        ],
        [
          { type: 'file', mediaType: 'image/png', ...file('AAAA') },
          { type: 'source', sourceType: 'document', id: 'd', mediaType: 'application/pdf', filename: 'a.pdf' },
        ],
      ];
      for (const live of [{}, { onDelta: () => undefined }]) {
        const recording = createRecording();
        const left = rich.map((content) => fixedModel({ result: answerOf(content), parts: partsOf(content) }));
        const next = (): LanguageModel => left.shift() as LanguageModel;
        const model: LanguageModel = {
          specificationVersion: version,
          provider: 'scripted',
          modelId: 'scripted',
          doGenerate: (options) => next().doGenerate(options),
          doStream: (options) => next().doStream(options),
        };
        const look = { execute: (input: object) => input };
        const engine = memoryEngine();
        const lived = await runAgent({
          model: recordModel(model, recording),
          prompt: 'go',
          tools: { look },
          engine,
          ...live,
        });
        expect(lived.termination).toEqual({ kind: 'natural_end' });
        expect(lived.iterations).toMatchObject([
          { files: [{ mediaType: 'image/png' }], sources: [{ id: 's' }] },
          { files: [{ mediaType: 'image/png' }], sources: [{ id: 'd' }] },
        ]);
        const script = parseScript(JSON.stringify(recording.script()));
        for (const other of [{}, { onDelta: () => undefined }]) {
          const again = memoryEngine();
          const played = await runAgent({
            model: scriptedModel(script),
            prompt: 'go',
            tools: { look },
            engine: again,
            ...other,
          });
          expect(told(played as never)).toEqual(told(lived as never));
          expect(await responsesIn(again, played.runId)).toEqual(await responsesIn(engine, lived.runId));
        }
        const kept = await loadRun(await saveRun(engine, lived.runId));
        const neverAsked = scriptedModel([{ error: { message: 'asked' } }]);
        const agent = defineAgent({ name: lived.name, model: neverAsked, tools: { look } });
        expect((await kept.replay(agent)).termination).toEqual(lived.termination);
        const read = await agent.result(lived.runId, { engine: kept.engine });
        expect(told(read as never)).toEqual(told(lived as never));
      }
    },
  );

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

const answerOf = (content: readonly object[]) => ({
  content,
  finishReason: { unified: 'stop', raw: undefined },
  usage: { inputTokens: { total: 3 }, outputTokens: { total: 4 } },
  warnings: [],
  response: { modelId: 'scripted' },
});

/** The same answer as a stream. */
function partsOf(content: readonly object[]): readonly object[] {
  const { finishReason, usage } = answerOf(content);
  const parts = content.flatMap((part, id) => {
    if (!('text' in part && 'type' in part)) return [part];
    const { type, text, ...more } = part;
    return [
      { type: `${type}-start`, id },
      { type: `${type}-delta`, id, delta: text },
      { type: `${type}-end`, id, ...more },
    ];
  });
  return [{ type: 'response-metadata', modelId: 'scripted' }, ...parts, { type: 'finish', finishReason, usage }];
}

/** The answers in a journal, without the ids that a provider makes up. */
async function responsesIn(engine: Engine, runId: string): Promise<readonly unknown[]> {
  const journal = await engine.journal(runId);
  return journal.flatMap((entry) => {
    if (entry.type !== 'step_ended' || !isModelKey(entry.key ?? '')) return [];
    const { response } = (entry.data as { value?: { response?: { responseId?: string } } }).value ?? {};
    const { responseId, ...rest } = response ?? {};
    return [rest];
  });
}

function withoutStacks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'stack' ? undefined : inner)));
}
