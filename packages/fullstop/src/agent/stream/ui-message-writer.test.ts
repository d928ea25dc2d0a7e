import { isToolUIPart, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { defineAgent } from '../define-agent.js';
import { approve } from '../options/directive.js';
import { clientTool, toolResult } from '../tools/client-tool.js';
import { requireApproval } from '../tools/tool.js';
import type { AgentStream } from './agent-stream.js';

interface Read {
  readonly chunks: readonly UIMessageChunk[];
  readonly message: UIMessage;
}

/** Reads a stream as the AI SDK's client does, after the message that it has. */
async function read(stream: AgentStream, before?: UIMessage): Promise<Read> {
  const [left, right] = stream.toUIMessageStream<ReadableStream<UIMessageChunk>>().tee();
  const chunks: UIMessageChunk[] = [];
  const collected = (async () => {
    for await (const chunk of left) chunks.push(chunk);
  })();
  let message = before;
  // The client stops at the error of the run, which is the very last; any other error is a defect of the stream.
  const sound = right.pipeThrough(
    new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform: (chunk, controller) => (chunk.type === 'error' ? undefined : controller.enqueue(chunk)),
    }),
  );
  const source = { stream: sound, terminateOnError: true };
  const options = before === undefined ? source : { ...source, message: before };
  for await (const next of readUIMessageStream(options)) message = next;
  await collected;
  return { chunks, message: message as UIMessage };
}

function partsOf({ parts }: UIMessage): readonly unknown[] {
  return parts.flatMap((part): unknown[] => {
    if (isToolUIPart(part)) return [[part.toolCallId, part.state]];
    if (part.type === 'text') return [part.text];
    return part.type === 'step-start' ? ['---'] : [];
  });
}

const call = (id: string): ScriptAnswer => ({ toolCalls: [{ tool: 'look', input: { id }, id }] });
const look = { execute: (input: object) => input };

function answering(answers: readonly ScriptAnswer[]): AgentStream {
  return defineAgent({ model: scriptedModel(answers), tools: { look }, retry: { initialDelayMs: 1 } }).stream('go');
}

describe('the steps of a UI message stream', () => {
  it.each([
    ['ids of their own', 'c2'],
    ['the id of one before', 'c1'],
  ])('hold the calls of one answer each, though nothing was said with them, under %s', async (_name, second) => {
    const { message } = await read(answering([call('c1'), call(second), { text: 'done' }]));
    expect(partsOf(message)).toEqual([
      '---',
      ['c1', 'output-available'],
      '---',
      [second, 'output-available'],
      '---',
      'done',
    ]);
  });

  it('are parted from those of an earlier segment', async () => {
    const engine = memoryEngine();
    const agent = defineAgent({
      model: scriptedModel([call('c1'), { error: 'auth' }, call('c2'), { text: 'done' }]),
      tools: { look },
    });
    const first = await read(agent.stream('go', { engine, runId: 'r' }));
    const { message } = await read(agent.resumeStream('r', { engine }), first.message);
    expect(partsOf(message)).toEqual([
      '---',
      ['c1', 'output-available'],
      '---',
      ['c2', 'output-available'],
      '---',
      'done',
    ]);
  });

  it('leave no call open whose answer was broken off', async () => {
    const { message } = await read(answering([{ ...call('c1'), error: 'length' }]));
    expect(partsOf(message)).toEqual(['---', ['c1', 'output-error']]);
    const cut = {
      text: 'a',
      toolCalls: [
        { tool: 'look', id: 'c1' },
        { tool: 'look', id: 'c2' },
      ],
    };
    const again = await read(answering([{ ...cut, error: 'stream_cut' }, call('c3'), { text: 'done' }]));
    const states = again.message.parts.flatMap((part) => (isToolUIPart(part) ? [[part.toolCallId, part.state]] : []));
    expect(states.at(-1)).toEqual(['c3', 'output-available']);
    expect(states.filter(([, state]) => state === 'input-streaming')).toEqual([]);
  });
});

describe('the calls of a UI message stream', () => {
  it('are announced before their results, also where the model streams no input and the call cannot be made', async () => {
    const parts = [
      { type: 'tool-call', toolCallId: 'c1', toolName: 'nobody', input: '{}' },
      { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: {} },
    ];
    const usual = scriptedModel([{ text: 'done' }]);
    let asked = 0;
    const model: LanguageModel = {
      ...usual,
      async doStream(options) {
        asked += 1;
        return asked === 1 ? { stream: ReadableStream.from(parts) as never } : usual.doStream(options);
      },
    };
    const { message } = await read(defineAgent({ model, tools: { look } }).stream('go'));
    expect(partsOf(message)).toEqual(['---', ['c1', 'output-error'], '---', 'done']);
  });

  it('of a batch that pauses are streamed once, however often the run is resumed', async () => {
    const engine = memoryEngine();
    const toolCalls = ['ask', 'look', 'outside'].map((tool) => ({ tool, input: {}, id: tool }));
    const agent = defineAgent({
      model: scriptedModel([{ toolCalls }, { text: 'done' }]),
      tools: { ask: requireApproval(look), look, outside: requireApproval(clientTool({})) },
    });
    const first = await read(agent.stream('go', { engine, runId: 'r' }));
    const second = await read(agent.resumeStream('r', { engine, answers: { ask: approve() } }), first.message);
    const answers = { 'approval:outside': approve() };
    const third = await read(agent.resumeStream('r', { engine, answers }), second.message);
    const last = await read(agent.resumeStream('r', { engine, answers: { outside: toolResult(1) } }), third.message);
    const told = [first, second, third, last].map(({ chunks }) =>
      chunks.flatMap((chunk) => ('toolCallId' in chunk ? [`${chunk.type} ${chunk.toolCallId}`] : [])).sort(),
    );
    expect(told[0]).toEqual(
      expect.arrayContaining([
        'tool-approval-request ask',
        'tool-approval-request outside',
        'tool-output-available look',
      ]),
    );
    expect(told.slice(1)).toEqual([['tool-output-available ask'], [], ['tool-output-available outside']]);
    expect(partsOf(last.message).slice(-2)).toEqual(['---', 'done']);
  });
});
