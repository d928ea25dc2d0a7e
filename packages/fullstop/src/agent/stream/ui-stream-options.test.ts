import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { LanguageModel } from '../../models/language-model.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { builtIns } from '../../termination/registry.js';
import { samples } from '../../termination/samples.fixture.js';
import { validate } from '../../termination/validate.js';
import type { Agent } from '../agent.js';
import { defineAgent } from '../define-agent.js';
import { cases, optionsOf } from '../every-ending.fixture.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { approve, block } from '../options/directive.js';
import { requireApproval } from '../tools/tool.js';
import { maskTermination } from './mask-termination.js';
import { isDiscarded, type UIEnding } from './ui-chunk.js';
import { readMessage } from './ui-message.fixture.js';
import type { UIMessageStreamOptions, UIStreamError } from './ui-stream-options.js';

const secretError = new Error('ENOENT: /srv/app/keys.json');
const failing = {
  execute: () => {
    throw secretError;
  },
};
const call = (tool: string, id = 'c1') => ({ toolCalls: [{ tool, input: {}, id }] });

async function streamed(given: AnyAgentOptions, options?: UIMessageStreamOptions) {
  const stream = defineAgent(given).stream('go');
  return readMessage(stream, options === undefined ? {} : { options });
}

/** Everything that must never leave the server. */
const marks = ['/srv/', 'provider says', 'node:', '.ts:', 'https://inner', 'req_secret'];

describe('a UI message stream by default', () => {
  it.each(Object.entries(samples))('has nothing in its ending that others wrote: %s', (_kind, sample) => {
    const spoiled = JSON.parse(JSON.stringify(sample), (key, value: unknown) => {
      if (key === 'message') return 'provider says no';
      if (key === 'stack') return 'at /srv/app/x.ts:1';
      if (key === 'url') return 'https://inner';
      return key === 'requestId' ? 'req_secret' : value;
    }) as typeof sample;
    const masked = maskTermination(spoiled);
    for (const mark of marks) expect(JSON.stringify(masked)).not.toContain(mark);
    // It is an ending all the same: with its kind, and with evidence that its own check accepts.
    expect(masked.kind).toBe(sample.kind);
    expect(validate(masked, { registry: builtIns, unknownFields: 'reject', unknownKinds: 'reject' })).toEqual([]);
  });

  it('has neither paths nor messages of a tool, of an error or of a provider', async () => {
    const tool = await streamed({ model: scriptedModel([call('failing'), { text: 'x' }]), tools: { failing } });
    expect(tool.message.parts).toContainEqual(
      expect.objectContaining({ toolCallId: 'c1', state: 'output-error', errorText: 'The tool failed.' }),
    );
    const refused = { status: 401, message: 'provider says: key sk-1 of /srv/app is wrong' };
    const auth = await streamed({ model: scriptedModel([{ error: refused }]) });
    const hook = await streamed({ model: scriptedModel([{ text: 'x' }]), hooks: { beforeModel: failing.execute } });
    for (const { chunks } of [tool, auth, hook])
      for (const mark of marks) expect(JSON.stringify(chunks)).not.toContain(mark);
    expect(auth.chunks.at(-1)).toEqual({
      type: 'error',
      errorText: 'The provider scripted refused the credentials (HTTP 401).',
    });
    expect(hook.chunks.at(-1)).toEqual({ type: 'error', errorText: 'Failed in a hook with Error.' });
  });

  it('has no evidence of kinds that are not ours', () => {
    expect(maskTermination({ kind: 'app.odd', why: '/srv/app' } as never)).toEqual({ kind: 'app.odd' });
  });

  it('says in words of ours why a call was not made', async () => {
    const { message } = await streamed({
      model: scriptedModel([
        { toolCalls: [...call('nobody', 'a').toolCalls, ...call('look', 'b').toolCalls] },
        { text: 'x' },
      ]),
      tools: { look: { execute: () => 1 } },
      hooks: { beforeTool: () => block('INNER', 'rule of /srv/app') },
    });
    const texts = message.parts.flatMap((part) => ('errorText' in part ? [part.errorText] : []));
    expect(texts).toEqual(['There is no such tool.', 'This call is not allowed.']);
  });
});

describe('a UI message stream that is asked', () => {
  it('has the texts of onError, which sees everything, and a general text where that fails', async () => {
    const seen: UIStreamError[] = [];
    const model = () => scriptedModel([call('failing'), { error: 'auth' }]);
    const given = { tools: { failing } };
    const told = await streamed(
      { ...given, model: model() },
      { onError: (error) => `${seen.push(error)} ${error.type}` },
    );
    expect(seen).toMatchObject([
      { type: 'tool', tool: 'failing', toolCallId: 'c1', error: { message: secretError.message } },
      { type: 'run', termination: { kind: 'provider_auth', message: 'The script refuses the key.' } },
    ]);
    expect(told.chunks).toContainEqual({ type: 'tool-output-error', toolCallId: 'c1', errorText: '1 tool' });
    expect(told.chunks.at(-1)).toEqual({ type: 'error', errorText: '2 run' });
    const broken = await streamed({ ...given, model: model() }, { onError: failing.execute as never });
    expect(broken.chunks.at(-1)).toMatchObject({
      type: 'error',
      errorText: expect.stringContaining('scripted') as string,
    });
    expect(JSON.stringify(broken.chunks)).not.toContain('/srv/');
  });

  it('has the whole evidence', async () => {
    const { message } = await streamed({ model: scriptedModel([{ error: 'auth' }]) }, { ending: 'whole' });
    expect(message.parts.at(-1)).toMatchObject({ data: { termination: { message: 'The script refuses the key.' } } });
  });

  it('leaves out thoughts and sources', async () => {
    const content = [
      { type: 'reasoning', text: 'hmm' },
      { type: 'text', text: 'so' },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
    ];
    const stream = () =>
      ReadableStream.from([
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'hmm' },
        { type: 'reasoning-end', id: 'r' },
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'so' },
        { type: 'text-end', id: 't' },
        content[2],
        { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
      ]);
    const model: LanguageModel = {
      ...scriptedModel([{ text: 'x' }]),
      doStream: async () => ({ stream: stream() as never }),
    };
    const types = async (options: UIMessageStreamOptions) =>
      (await streamed({ model }, options)).message.parts.map(({ type }) => type);
    expect(await types({})).toEqual(['step-start', 'reasoning', 'text', 'source-url', 'data-ending']);
    expect(await types({ sendReasoning: false, sendSources: false })).toEqual(['step-start', 'text', 'data-ending']);
  });
});

describe('the metadata of a message', () => {
  it('has the latest ending and nothing of an earlier one, though the client merges it', async () => {
    const engine = memoryEngine();
    const agent = defineAgent({
      model: scriptedModel([call('ask'), { text: 'done' }]),
      tools: { ask: requireApproval({ execute: () => 1 }) },
    }) as Agent;
    const first = await readMessage(agent.stream('go', { engine, runId: 'r' }));
    const paused = (first.message.metadata as { ending: UIEnding }).ending;
    expect(paused).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'c1' }] });
    const last = await readMessage(agent.resumeStream('r', { engine, answers: { c1: approve() } }), {
      before: first.message,
    });
    const { ending } = last.message.metadata as { ending: UIEnding };
    expect(ending).toEqual({
      runId: 'r',
      segment: 2,
      cursor: (await engine.journal('r')).length,
      kind: 'natural_end',
      category: 'success',
      outcome: 'succeeded',
      tag: 'natural_end',
      summary: 'The model returned its final answer.',
      nextAction: 'Nothing to do: use the output.',
      retryAfterMs: null,
      requests: [],
    });
    expect(Object.keys(ending)).toEqual(Object.keys(paused));
    const endings = last.message.parts.flatMap((part) => (part.type === 'data-ending' ? [part] : []));
    expect(endings).toMatchObject([{ id: 'ending', data: { segment: 2, termination: { kind: 'natural_end' } } }]);
    expect((endings[0] as { data: object }).data).not.toHaveProperty('termination.requests');
  });
});

/** Sends a stream through HTTP as servers do, and reads it with the client's own transport, schemas included. */
async function overTheWire(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  const body = stream.pipeThrough(
    new TransformStream<UIMessageChunk, Uint8Array>({
      transform: (chunk, controller) =>
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`)),
      flush: (controller) => controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n')),
    }),
  );
  const transport = new DefaultChatTransport({ fetch: async () => new Response(body) });
  const request = { chatId: 'c', messages: [], abortSignal: undefined, messageId: undefined } as const;
  const received = await transport.sendMessages({ ...request, trigger: 'submit-message', messages: [] });
  let message: UIMessage | undefined;
  for await (const next of readUIMessageStream({ stream: received, terminateOnError: true })) message = next;
  return message as UIMessage;
}

/** The members that each chunk may have in the protocol of AI SDK 6, whose first versions refuse every other one, and 7. */
const protocol: Readonly<Record<string, readonly string[]>> = {
  start: ['messageId', 'messageMetadata'],
  'start-step': [],
  'finish-step': [],
  'text-start': ['id', 'providerMetadata'],
  'text-delta': ['id', 'delta', 'providerMetadata'],
  'text-end': ['id', 'providerMetadata'],
  'reasoning-start': ['id', 'providerMetadata'],
  'reasoning-delta': ['id', 'delta', 'providerMetadata'],
  'reasoning-end': ['id', 'providerMetadata'],
  'tool-input-start': ['toolCallId', 'toolName', 'providerExecuted'],
  'tool-input-delta': ['toolCallId', 'inputTextDelta'],
  'tool-input-available': ['toolCallId', 'toolName', 'input', 'providerExecuted'],
  'tool-approval-request': ['approvalId', 'toolCallId'],
  'tool-output-available': ['toolCallId', 'output', 'providerExecuted'],
  'tool-output-error': ['toolCallId', 'errorText', 'providerExecuted'],
  'tool-output-denied': ['toolCallId'],
  'source-url': ['sourceId', 'url', 'title'],
  'source-document': ['sourceId', 'mediaType', 'title', 'filename'],
  file: ['url', 'mediaType'],
  'data-ending': ['id', 'data'],
  finish: ['finishReason', 'messageMetadata'],
  error: ['errorText'],
};

function refused(chunks: readonly UIMessageChunk[]): readonly string[] {
  return chunks.flatMap((chunk) => {
    const known = protocol[chunk.type];
    const unknown = Object.keys(chunk).filter((key) => key !== 'type' && known?.includes(key) !== true);
    return known === undefined ? [chunk.type] : unknown.map((key) => `${chunk.type}.${key}`);
  });
}

describe('the protocol', () => {
  it.each(Object.entries(cases))('has a place for everything that is written: %s', async (_kind, each) => {
    const { chunks } = await readMessage(defineAgent(optionsOf(each)).stream('go'));
    expect(refused(chunks)).toEqual([]);
  });

  it('has a place for attempts that were discarded', async () => {
    const cut = { text: 'a', ...call('failing', 'a'), error: 'stream_cut' as const };
    const model = scriptedModel([cut, call('failing', 'a'), { text: 'done' }]);
    const { chunks, message } = await streamed({ model, tools: { failing }, retry: { initialDelayMs: 1 } });
    expect(refused(chunks)).toEqual([]);
    expect(message.parts.filter(isDiscarded).map(({ type }) => type)).toEqual(['text']);
    expect(message.parts).toContainEqual(expect.objectContaining({ toolCallId: 'a', errorText: 'The tool failed.' }));
  });
});

describe('the transport of the AI SDK', () => {
  it('accepts every chunk, discarded attempts, failures and approvals included', async () => {
    const agent = defineAgent({
      model: scriptedModel([
        { text: 'a long answer that is cut', error: 'stream_cut' },
        { reasoning: 'hmm', toolCalls: [...call('failing', 'a').toolCalls, ...call('nobody', 'b').toolCalls] },
        { text: 'may I?', ...call('ask', 'c') },
      ]),
      tools: { failing, ask: requireApproval({ execute: () => 1 }) },
      retry: { initialDelayMs: 1 },
    });
    const message = await overTheWire(agent.stream('go').toUIMessageStream());
    expect(message.parts.flatMap((part) => ('toolCallId' in part ? [[part.toolCallId, part.state]] : []))).toEqual([
      ['a', 'output-error'],
      ['b', 'output-error'],
      ['c', 'approval-requested'],
    ]);
    expect(message.metadata).toMatchObject({ ending: { kind: 'interaction_pending' } });
  });
});

describe('ready', () => {
  it('rejects a start under the id of another run before anything is streamed', async () => {
    const engine = memoryEngine();
    const agent = defineAgent({ name: 'a', model: scriptedModel([{ text: 'one' }, { text: 'two' }]) }) as Agent;
    await agent.run('first', { engine, runId: 'r' });
    const conflict = agent.stream('second', { engine, runId: 'r' });
    await expect(conflict.ready).rejects.toMatchObject({ code: 'RUN_ID_CONFLICT' });
    await expect(conflict.result).rejects.toMatchObject({ code: 'RUN_ID_CONFLICT' });
    expect((await engine.journal('r')).filter(({ type }) => type === 'run_started')).toHaveLength(1);
  });

  it('settles before the run has ended, and a start that is repeated joins the run', async () => {
    const engine = memoryEngine();
    const agent = defineAgent({ name: 'a', model: scriptedModel([{ text: 'one' }]) }) as Agent;
    let ended = false;
    const stream = agent.stream('first', { engine, runId: 'r' });
    void stream.result.then(() => {
      ended = true;
    });
    await stream.ready;
    expect(ended).toBe(false);
    const again = agent.stream('first', { engine, runId: 'r' });
    await again.ready;
    const texts = (await readMessage(again)).message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(texts).toEqual(['one']);
  });

  it('rejects a resume that is refused', async () => {
    const engine = memoryEngine();
    const agent = defineAgent({ model: scriptedModel([{ text: 'x' }]) }) as Agent;
    await expect(agent.resumeStream('none', { engine }).ready).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
