import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { afterAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../packages/fullstop/src/agent/define-agent.js';
import { approve } from '../../packages/fullstop/src/agent/options/directive.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/sqlite-engine.js';
import type {
  LanguageModel,
  ModelCallOptions,
  ModelVersion,
} from '../../packages/fullstop/src/models/language-model.js';
import type { ModelMessage } from '../../packages/fullstop/src/models/message.js';

const folder = mkdtempSync(join(tmpdir(), 'fullstop-media-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Larger than what an entry of a journal holds itself. */
const large = Buffer.alloc(2_000_000, 7).toString('base64');
const address = 'https://example.com/report.pdf';
const versions: readonly ModelVersion[] = ['v2', 'v3', 'v4'];

/** The differences between the versions: the form of a file that a model makes, of one that it is sent, and of one that a tool returned. */
const forms: Readonly<Record<ModelVersion, { made: unknown; sent: unknown; linked: unknown; returned: object }>> = {
  v2: {
    made: Buffer.from('drawn'),
    sent: large,
    linked: new URL(address),
    returned: { type: 'media', data: large, mediaType: 'image/png' },
  },
  v3: {
    made: Buffer.from('drawn').toString('base64'),
    sent: large,
    linked: new URL(address),
    returned: { type: 'image-data', data: large, mediaType: 'image/png' },
  },
  v4: {
    made: { type: 'data', data: new Uint8Array(Buffer.from('drawn')) },
    sent: { type: 'data', data: large },
    linked: { type: 'url', url: new URL(address) },
    returned: { type: 'file', data: { type: 'data', data: large }, mediaType: 'image/png' },
  },
};

const signature = { anthropic: { signature: 'sig_1' } };
const drawn = { type: 'data', data: Buffer.from('drawn').toString('base64') };

/** Everything that an answer may hold besides texts. */
const richContent = (version: ModelVersion): readonly object[] => [
  { type: 'reasoning', text: 'Let me look.', providerMetadata: signature },
  { type: 'tool-call', toolCallId: 'w1', toolName: 'web_search', input: '{"q":"x"}', providerExecuted: true },
  { type: 'tool-result', toolCallId: 'w1', toolName: 'web_search', result: [{ url: 'https://a.example' }] },
  { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.example', title: 'A' },
  { type: 'source', sourceType: 'document', id: 's2', mediaType: 'application/pdf', title: 'B', filename: 'b.pdf' },
  { type: 'file', mediaType: 'image/png', data: forms[version].made },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'photo', input: '{}' },
];

function partsOf(content: readonly object[]): readonly object[] {
  return content.flatMap((part) => {
    const { type, text, ...rest } = part as { readonly type: string; readonly text?: string };
    if (text === undefined) return [part];
    return [
      { type: `${type}-start`, id: '0' },
      { type: `${type}-delta`, id: '0', delta: text },
      { type: `${type}-end`, id: '0', ...rest },
    ];
  });
}

function streamOf(parts: readonly object[]): ReadableStream<object> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** A model of a version that answers with everything, then with a text, and keeps what it was asked. */
function richModel(version: ModelVersion): LanguageModel & { readonly prompts: ModelCallOptions['prompt'][] } {
  const prompts: ModelCallOptions['prompt'][] = [];
  const next = (options: ModelCallOptions): { readonly content: readonly object[]; readonly finishReason: unknown } => {
    prompts.push(options.prompt);
    const isFirst = !options.prompt.some(({ role }) => role === 'tool');
    const word = isFirst ? 'tool-calls' : 'stop';
    const content = isFirst ? richContent(version) : [{ type: 'text', text: 'Done.' }];
    return { content, finishReason: version === 'v2' ? word : { unified: word, raw: word } };
  };
  return {
    specificationVersion: version,
    provider: 'rich',
    modelId: 'rich-1',
    prompts,
    doGenerate: async (options) => ({ ...next(options), usage: {} }) as never,
    doStream: async (options) => {
      const { content, finishReason } = next(options);
      return { stream: streamOf([...partsOf(content), { type: 'finish', finishReason, usage: {} }]) };
    },
  };
}

const prompt: readonly ModelMessage[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is on these?' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: large } },
      { type: 'file', mediaType: 'application/pdf', data: { type: 'url', url: address }, filename: 'report.pdf' },
    ],
  },
];

const tools = {
  photo: {
    needsApproval: true,
    execute: () => 'taken',
    toModelOutput: () => ({
      type: 'content',
      value: [{ type: 'image-data', data: large, mediaType: 'image/png' }],
    }),
  },
} as const;

/** The second prompt, in the form of a version. */
const wanted = (version: ModelVersion): readonly object[] => [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is on these?' },
      { type: 'file', mediaType: 'image/png', data: forms[version].sent },
      { type: 'file', mediaType: 'application/pdf', data: forms[version].linked, filename: 'report.pdf' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Let me look.', providerOptions: signature },
      { type: 'tool-call', toolCallId: 'w1', toolName: 'web_search', input: { q: 'x' }, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: 'w1',
        toolName: 'web_search',
        output: { type: 'json', value: [{ url: 'https://a.example' }] },
      },
      { type: 'file', mediaType: 'image/png', data: version === 'v4' ? drawn : drawn.data },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'photo', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'photo',
        output: { type: 'content', value: [forms[version].returned] },
      },
    ],
  },
];

const sources = [
  { sourceType: 'url', id: 's1', url: 'https://a.example', title: 'A' },
  { sourceType: 'document', id: 's2', mediaType: 'application/pdf', title: 'B', filename: 'b.pdf' },
];

/** Reads a stream as the AI SDK's client does. */
async function read(stream: ReadableStream<UIMessageChunk>, before?: UIMessage): Promise<UIMessage> {
  let message = before;
  const source = { stream, terminateOnError: true, ...(before !== undefined && { message: before }) };
  for await (const next of readUIMessageStream(source)) message = next;
  return message as UIMessage;
}

describe.each(versions)('files, thoughts, sources and tools of the provider, with a model of %s', (version) => {
  it('pass through the journal, a pause and another process', async () => {
    const path = join(folder, `${version}.db`);
    const first = sqliteEngine(path);
    const model = richModel(version);
    const paused = await defineAgent({ name: 'rich', model, tools }).run(prompt, { engine: first, runId: 'r' });
    expect(paused.termination).toMatchObject({ kind: 'interaction_pending' });
    await first.close();
    const second = sqliteEngine(path);
    const later = richModel(version);
    const agent = defineAgent({ name: 'rich', model: later, tools });
    const result = await agent.resume('r', { engine: second, answers: { c1: approve() } });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect([model.prompts.length, later.prompts.length]).toEqual([1, 1]);
    expect(model.prompts[0]).toEqual(wanted(version).slice(0, 1));
    expect(later.prompts[0]).toEqual(wanted(version));
    expect(result.iterations[0]).toMatchObject({ sources, files: [{ mediaType: 'image/png', data: drawn }] });
    await second.close();
  });

  it('reach whoever follows the stream, before and after a pause', async () => {
    const engine = sqliteEngine(join(folder, `${version}-stream.db`));
    const model = richModel(version);
    const agent = defineAgent({ name: 'rich', model, tools });
    const stream = agent.stream(prompt, { engine, runId: 'r' });
    const shown = await read(stream.toUIMessageStream<ReadableStream<UIMessageChunk>>());
    expect(shown.parts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'reasoning', text: 'Let me look.' }),
        { type: 'file', url: `data:image/png;base64,${drawn.data}`, mediaType: 'image/png' },
        { type: 'source-url', sourceId: 's1', url: 'https://a.example', title: 'A' },
        expect.objectContaining({ type: 'source-document', sourceId: 's2', filename: 'b.pdf' }),
        expect.objectContaining({ toolCallId: 'c1', state: 'approval-requested' }),
      ]),
    );
    await stream.result;
    const rest = agent.resumeStream('r', { engine, answers: { c1: approve() } });
    const whole = await read(rest.toUIMessageStream<ReadableStream<UIMessageChunk>>(), shown);
    expect(whole.parts.filter(({ type }) => type === 'file' || type.startsWith('source'))).toHaveLength(3);
    expect(model.prompts[1]).toEqual(wanted(version));
    expect((await rest.result).termination).toEqual({ kind: 'natural_end' });
    await engine.close();
  });

  it('make an answer of a picture alone', async () => {
    const content = [{ type: 'file', mediaType: 'image/png', data: forms[version].made }];
    const model: LanguageModel = {
      ...richModel(version),
      doGenerate: async () =>
        ({ content, finishReason: version === 'v2' ? 'stop' : { unified: 'stop' }, usage: {} }) as never,
    };
    const result = await defineAgent({ model }).run('Draw');
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.iterations).toMatchObject([{ files: [{ data: drawn }] }]);
  });
});
