import { describe, expect, it } from 'vitest';
import { callModel } from '../calls/call-model.js';
import { classifyModelError } from '../errors/classify-model-error.js';
import type { LanguageModel } from '../language-model.js';
import { asVersion, fixedModel, streamOf, versions } from '../versions.fixture.js';
import { parseScript } from './parse-script.js';
import { createRecording, recordModel } from './record-model.js';
import type { ScriptAnswer } from './script.js';
import { scriptedModel } from './scripted-model.js';

const answers: readonly ScriptAnswer[] = [
  { text: 'Here is the plan' },
  { output: { score: 7 } },
  {
    reasoning: 'hm',
    text: 'a',
    toolCalls: [
      { tool: 'search', input: { q: 'x' }, id: 'c9' },
      { tool: 'bad', inputText: '{' },
    ],
  },
  {
    reasoning: [
      { text: 'first', providerMetadata: { anthropic: { signature: 'sig-1' } } },
      { text: '', providerMetadata: { anthropic: { redactedData: 'only the provider reads it' } } },
      { text: 'second' },
    ],
    toolCalls: [{ tool: 'search', id: 'c1', providerMetadata: { google: { thoughtSignature: 'sig-2' } } }],
  },
  { text: 'b', usage: { inputTokens: 3, outputTokens: 4 } },
  { text: 'cut o', error: 'length' },
  { text: '', error: 'filter' },
  { text: 'x', finish: 'other' },
  { text: 'x', finish: 'interrupted' },
  { toolCalls: [{ tool: 'a' }], finish: 'stop' },
  { error: { status: 429, retryAfter: '1.5s', message: 'slow down' } },
  { error: { status: 500, message: 'oh' } },
  { error: 'auth' },
  { error: 'context_length' },
  { error: 'network' },
  { error: 'malformed' },
  { text: 'one two three', error: 'stream_cut' },
];

/** The outcome that the caller of a model sees: its answer, or what its failure means. */
async function seen(model: LanguageModel, streamed: boolean): Promise<unknown> {
  const request = { messages: [{ role: 'user', content: 'go' } as const], agent: 'planner' };
  try {
    const options = streamed ? { onDelta: () => undefined } : {};
    // A script has the meaning of a finish; the provider's own word for it is not in v2.
    const { responseId, rawFinish, ...response } = await callModel(model, request, options);
    return response;
  } catch (thrown) {
    const { error, ...failure } = classifyModelError(thrown, { provider: 'scripted' });
    return failure;
  }
}

describe('a recording', () => {
  it.each(versions.flatMap((version) => [true, false].map((streamed) => [version, streamed] as const)))(
    'of a model of %s, streamed: %s, plays the same again',
    async (version, streamed) => {
      const recording = createRecording();
      const live = recordModel(asVersion(scriptedModel({ planner: answers }), version), recording);
      const first: unknown[] = [];
      for (const _ of answers) first.push(await seen(live, streamed));
      const script = parseScript(JSON.stringify(recording.script()));
      expect(Object.keys(script.answers)).toEqual(['planner']);
      const played = scriptedModel(script);
      const second: unknown[] = [];
      for (const _ of answers) second.push(await seen(played, streamed));
      expect(forPlaying(second)).toEqual(forPlaying(first));
      await expect(callModel(played, { messages: [], agent: 'planner' })).rejects.toThrow('no answer');
    },
  );

  it('is readable', async () => {
    const recording = createRecording();
    const live = recordModel(scriptedModel([answers[2] as ScriptAnswer, answers[10] as ScriptAnswer]), recording);
    await seen(live, false);
    await seen(live, false);
    expect(recording.script()).toEqual({
      answers: {
        planner: [
          {
            reasoning: 'hm',
            text: 'a',
            toolCalls: [
              { tool: 'search', input: { q: 'x' }, id: 'c9' },
              { tool: 'bad', inputText: '{', id: 'call_1_2' },
            ],
          },
          { error: { status: 429, retryAfter: '1500ms', message: 'slow down' } },
        ],
      },
      exhausted: 'error',
    });
  });

  it('has the answers in the order in which they were asked for', async () => {
    const waiting: (() => void)[] = [];
    const slow: LanguageModel = {
      ...fixedModel({}),
      async doGenerate({ temperature }) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return { content: [{ type: 'text', text: `${temperature}` } as never], finishReason: 'stop', usage: {} };
      },
    };
    const recording = createRecording();
    const live = recordModel(slow, recording);
    const calls = [1, 2, 3].map((temperature) => callModel(live, { messages: [], temperature }));
    for (const resume of waiting.reverse()) {
      resume();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(calls);
    expect(recording.script().answers['*']?.map(({ text }) => text)).toEqual(['1', '2', '3']);
  });

  it('leaves out what was given up', async () => {
    const recording = createRecording();
    const live = recordModel(scriptedModel([{ text: 'late', delay: '1h' }, { text: 'x' }]), recording);
    const controller = new AbortController();
    const call = callModel(live, { messages: [] }, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await callModel(live, { messages: [] });
    expect(recording.script().answers).toEqual({ '*': [{ text: 'x' }] });
  });

  it('has answers that are none, too', async () => {
    const recording = createRecording();
    const live = recordModel(fixedModel({ result: { text: 'old form' } }), recording);
    await expect(callModel(live, { messages: [] })).rejects.toMatchObject({ code: 'MALFORMED_ANSWER' });
    expect(recording.script().answers).toEqual({ '*': [{ error: 'malformed' }] });
  });

  it('keeps the first that happens in a stream', async () => {
    const recording = createRecording();
    const finish = { type: 'finish', finishReason: { unified: 'error' }, usage: {} };
    const parts = [{ type: 'error', error: { type: 'overloaded_error' } }, finish];
    const live = recordModel({ ...fixedModel({}), doStream: async () => ({ stream: streamOf(parts) }) }, recording);
    const { stream } = await live.doStream({ prompt: [] });
    const reader = stream.getReader();
    while (!(await reader.read()).done);
    expect(recording.script().answers).toEqual({ '*': [{ error: 'stream_cut' }] });
  });
});

/** The provider's own name for it is not part of a script. */
function forPlaying(responses: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(responses));
}
