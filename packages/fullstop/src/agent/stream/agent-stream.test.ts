import { isToolUIPart, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { createSecrets } from '../../run/secrets/secrets.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { defineAgent } from '../define-agent.js';
import { cases, optionsOf } from '../every-ending.fixture.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { approve, halt } from '../options/directive.js';
import { runAgent } from '../run-agent.js';
import { agentAsTool } from '../tools/agent-as-tool.js';
import { requireApproval } from '../tools/tool.js';
import type { AgentStream } from './agent-stream.js';
import type { AgentDelta } from './deltas.js';
import { isDiscarded } from './ui-chunk.js';

const call = { text: 'let me look', toolCalls: [{ tool: 'look', input: { q: 'x' }, id: 'c1' }] };
const calls = { toolCalls: [{ tool: 'free', input: {}, id: 'f1' }] };
const tools = { look: { execute: () => ({ found: 7 }) } };

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe('deltas', () => {
  it('come only when someone listens, and the result is the same either way', async () => {
    const asked: string[] = [];
    const watched = (model: LanguageModel): LanguageModel => ({
      ...model,
      doGenerate: (options) => {
        asked.push('doGenerate');
        return model.doGenerate(options);
      },
      doStream: (options) => {
        asked.push('doStream');
        return model.doStream(options);
      },
    });
    const answers: readonly ScriptAnswer[] = [call, { text: 'seven' }];
    const quiet = await runAgent({ model: watched(scriptedModel(answers)), tools, prompt: 'go' });
    const deltas: AgentDelta[] = [];
    const heard = await runAgent({
      model: watched(scriptedModel(answers)),
      tools,
      prompt: 'go',
      onDelta: (delta) => void deltas.push(delta),
    });
    expect(asked).toEqual(['doGenerate', 'doGenerate', 'doStream', 'doStream']);
    expect(heard.messages).toEqual(quiet.messages);
    expect(heard.iterations).toEqual(quiet.iterations);
    const said = deltas.flatMap((delta) =>
      delta.type === 'text' ? [`${delta.key}/${delta.attempt} ${delta.text}`] : [],
    );
    expect(said.join('|').replace(/\|model:\d\/1 /g, '')).toBe('model:1/1 let me lookseven');
    expect(deltas).toContainEqual(expect.objectContaining({ type: 'tool_input', id: 'c1', tool: 'look', path: '' }));
  });

  it('are void once their attempt is discarded, which is said before the next one speaks', async () => {
    const model = scriptedModel([{ text: 'a long answer that is cut', error: 'stream_cut' }, { text: 'whole' }]);
    const retry = { initialDelayMs: 1 };
    const stream = defineAgent({ model, retry }).stream('go');
    const deltas = await all(stream.deltas());
    const types = deltas.map((delta) => ('attempt' in delta ? `${delta.attempt} ${delta.type}` : delta.type));
    const cut = types.indexOf('1 attempt_discarded');
    expect(cut).toBeGreaterThan(0);
    expect(types.slice(0, cut).every((type) => type === '1 text')).toBe(true);
    expect(types.slice(cut + 1).every((type) => type === '2 text')).toBe(true);
    expect((await stream.result).text).toBe('whole');
  });

  it('never hold a secret, whole or in pieces', async () => {
    const secrets = createSecrets({ KEY: 'sk-12345678' });
    const model = scriptedModel([{ text: 'the key is sk-12345678, as you know' }]);
    const stream = defineAgent({ model, secrets }).stream('go');
    const [deltas, ui] = await Promise.all([all(stream.deltas()), all(stream.toUIMessageStream())]);
    expect(deltas).toMatchObject([{ type: 'text', text: 'the key is {{secret:KEY}}, as you know', attempt: 1 }]);
    expect(JSON.stringify(ui)).not.toContain('12345678');
    expect(ui.filter(({ type }) => type === 'text-delta')).toHaveLength(1);
  });

  it('of agents inside have the path of their unit', async () => {
    const model = scriptedModel({
      outer: [{ toolCalls: [{ tool: 'helper', input: { prompt: 'x' }, id: 'h' }] }, { text: 'out' }],
      helper: [{ text: 'in' }],
    });
    const helper = defineAgent({ name: 'helper', model });
    const stream = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper) } }).stream('go');
    const texts = (await all(stream.deltas())).flatMap((delta) =>
      delta.type === 'text' ? [[delta.path, delta.text]] : [],
    );
    expect(texts).toEqual([
      ['helper:h', 'in'],
      ['', 'out'],
    ]);
  });

  it('are passed over when nobody takes them, which is said', async () => {
    const model = scriptedModel([{ text: 'x '.repeat(3_000) }]);
    const stream = defineAgent({ model }).stream('go');
    const iterator = stream.deltas();
    await stream.result;
    const [first, ...rest] = await all(iterator);
    if (first?.type !== 'lost') throw new Error('nothing was lost');
    expect(rest).toHaveLength(1_000);
    expect((await stream.result).text).toHaveLength(6_000);
  });
});

describe('events', () => {
  it('are the whole journal, from the beginning or after a cursor, and end with the run', async () => {
    const stream = defineAgent({ model: scriptedModel([call, { text: 'seven' }]), tools }).stream('go');
    const entries = await all(stream.events());
    const journal = await (await stream.result).journal();
    expect(entries).toEqual(journal);
    expect(entries.at(-1)?.type).toBe('segment_ended');
    expect(await all(stream.events({ after: 3 }))).toEqual(journal.slice(3));
  });
});

interface Seen {
  readonly chunks: readonly UIMessageChunk[];
  readonly message: UIMessage;
}

async function ui(options: AnyAgentOptions, signal?: AbortSignal): Promise<Seen> {
  const agent = defineAgent(options);
  const stream = agent.stream('go', signal === undefined ? {} : { signal });
  const [left, right] = stream.toUIMessageStream<ReadableStream<UIMessageChunk>>().tee();
  const chunks: UIMessageChunk[] = [];
  const collected = (async () => {
    for await (const chunk of left) chunks.push(chunk);
  })();
  let message: UIMessage | undefined;
  for await (const next of readUIMessageStream({ stream: right })) message = next;
  await collected;
  return { chunks, message: message as UIMessage };
}

describe('a model that streams for a listener', () => {
  it.each(Object.entries(cases))('comes to the same as one that does not: %s', async (_kind, each) => {
    const told = async (onDelta: (() => void) | undefined): Promise<unknown> => {
      const result = await defineAgent(optionsOf(each)).run('go', onDelta === undefined ? {} : { onDelta });
      const { termination, also, output, text, messages, iterations, toolCalls, usage, costUsd } = result;
      return { termination, also, output, text, messages, iterations, toolCalls, usage, costUsd };
    };
    let heard = 0;
    const streamed = await told(() => {
      heard += 1;
    });
    const whole = await told(undefined);
    expect(withoutStacks(streamed)).toEqual(withoutStacks(whole));
    if (each.answers.some((answer) => 'toolCalls' in answer)) expect(heard).toBeGreaterThan(0);
  });
});

/** Stacks differ by the way that a call took. */
function withoutStacks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'stack' ? undefined : inner)));
}

describe('the UI message stream', () => {
  it('is read by the AI SDK, steps, tools and all', async () => {
    const { chunks, message } = await ui({ model: scriptedModel([call, { text: 'seven' }]), tools });
    expect(message.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'let me look', state: 'done' },
      { type: 'tool-look', state: 'output-available', input: { q: 'x' }, output: { found: 7 } },
      { type: 'step-start' },
      { type: 'text', text: 'seven', state: 'done' },
      { type: 'data-ending' },
    ]);
    const types = chunks.map(({ type }) => type).filter((type) => !type.endsWith('delta'));
    expect(types).toEqual([
      'start',
      'start-step',
      'text-start',
      'tool-input-start',
      'tool-input-available',
      'text-end',
      'tool-output-available',
      'finish-step',
      'start-step',
      'text-start',
      'text-end',
      'finish-step',
      'data-ending',
      'finish',
    ]);
  });

  it('says which words are void when an attempt was discarded', async () => {
    const model = scriptedModel([{ text: 'a long answer that is cut', error: 'stream_cut' }, { text: 'whole' }]);
    const { message } = await ui({ model, retry: { initialDelayMs: 1 } });
    expect(message.parts.filter(isDiscarded)).toMatchObject([{ type: 'text', state: 'done' }]);
    expect(message.parts.findLast((part) => part.type === 'text')).toMatchObject({ text: 'whole' });
  });

  const late = new AbortController();
  const paths: Readonly<Record<string, AnyAgentOptions>> = {
    natural_end: { model: scriptedModel([{ text: 'done' }]) },
    max_iterations: { model: scriptedModel([call]), tools, stopWhen: [maxIterations(1)] },
    provider_auth: { model: scriptedModel([{ error: 'auth' }]) },
    provider_quota: { model: scriptedModel([{ error: { status: 402 } }]) },
    output_truncated: { model: scriptedModel([{ text: 'and', error: 'length' }]) },
    agent_refused: { model: scriptedModel([{ error: 'filter' }]) },
    halted: { model: scriptedModel([call]), tools: { look: { execute: () => halt('no') } } },
    interaction_pending: { model: scriptedModel([call]), tools: { look: requireApproval(tools.look) } },
    cancelled: {
      model: scriptedModel([call]),
      tools: {
        look: {
          execute: () => {
            late.abort('enough');
            return new Promise(() => undefined);
          },
        },
      },
      graceMs: 10,
    },
  };

  it.each(Object.entries(paths))('carries the ending in its last part: %s', async (kind, options) => {
    const { chunks, message } = await ui(options, kind === 'cancelled' ? late.signal : undefined);
    expect(chunks.findLast(({ type }) => type !== 'error')).toMatchObject({
      type: 'finish',
      messageMetadata: { ending: { kind, summary: expect.any(String) as unknown } },
    });
    expect(message.metadata).toMatchObject({ ending: { kind } });
    expect(message.parts.at(-1)).toMatchObject({ type: 'data-ending', data: { termination: { kind } } });
    if (kind === 'interaction_pending') {
      expect(message.parts).toContainEqual(
        expect.objectContaining({ type: 'tool-look', state: 'approval-requested', approval: { id: 'c1' } }),
      );
    }
  });

  it.each(Object.entries(cases))('carries every ending there is: %s', async (kind, each) => {
    const { chunks, message } = await ui(optionsOf(each));
    expect(chunks.findLast(({ type }) => type !== 'error')).toMatchObject({
      type: 'finish',
      messageMetadata: { ending: { kind } },
    });
    expect(chunks.filter(({ type }) => type === 'finish')).toHaveLength(1);
    expect(message.metadata).toMatchObject({ ending: { kind } });
  });

  it('continues with what is new when a run is resumed', async () => {
    const engine = memoryEngine();
    const agent = defineAgent({
      model: scriptedModel([{ text: 'hello', ...calls }, call, { text: 'seven' }]),
      tools: { look: requireApproval(tools.look), free: tools.look },
    });
    const read = async (stream: AgentStream, before?: UIMessage): Promise<UIMessage> => {
      let message = before;
      const source = stream.toUIMessageStream<ReadableStream<UIMessageChunk>>();
      const options = before === undefined ? { stream: source } : { stream: source, message: before };
      for await (const next of readUIMessageStream(options)) message = next;
      return message as UIMessage;
    };
    const first = await read(agent.stream('go', { engine, runId: 'r' }));
    expect(first.metadata).toMatchObject({ ending: { kind: 'interaction_pending' } });
    // The client continues the message that it has.
    const message = await read(agent.resumeStream('r', { engine, answers: { c1: approve() } }), first);
    expect(message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual([
      'hello',
      'let me look',
      'seven',
    ]);
    const states = message.parts.flatMap((part) => (isToolUIPart(part) ? [[part.toolCallId, part.state]] : []));
    expect(states).toEqual([
      ['f1', 'output-available'],
      ['c1', 'output-available'],
    ]);
    expect(message.metadata).toMatchObject({ ending: { segment: 2, kind: 'natural_end' } });
  });

  it('fails when the run never began', async () => {
    const bad = defineAgent({ model: scriptedModel([{ text: 'x' }]) }).stream(Symbol('not JSON') as never);
    await expect(all(bad.toUIMessageStream())).rejects.toThrow();
    await expect(bad.result).rejects.toThrow();
  });
});
