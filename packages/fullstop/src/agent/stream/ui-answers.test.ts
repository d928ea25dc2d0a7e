import { isToolUIPart, readUIMessageStream, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import type { Ending } from '../../termination/ending.js';
import { defineAgent } from '../define-agent.js';
import { requireApproval } from '../tools/tool.js';
import type { AgentStream } from './agent-stream.js';
import { uiAnswers } from './ui-answers.js';
import type { UIMessageChunk } from './ui-chunk.js';

async function read(stream: AgentStream<Ending>, before?: UIMessage): Promise<UIMessage> {
  let message = before;
  const source = stream.toUIMessageStream<ReadableStream<UIMessageChunk>>();
  const options = before === undefined ? { stream: source } : { stream: source, message: before };
  for await (const next of readUIMessageStream(options as never)) message = next;
  return message as UIMessage;
}

/** The message as the hooks of the AI SDK leave it when the user has answered. */
function withAnswers(message: UIMessage, answers: Readonly<Record<string, object>>): UIMessage {
  const parts = message.parts.map((part) => (isToolUIPart(part) ? { ...part, ...answers[part.toolCallId] } : part));
  return { ...message, parts: parts as UIMessage['parts'] };
}

function chat() {
  const call = (tool: string, id: string) => ({ tool, input: {}, id });
  return defineAgent({
    model: scriptedModel([
      { toolCalls: [call('here', 'h'), call('place', 'p'), call('photo', 'f'), call('send', 's'), call('burn', 'b')] },
      { text: 'done' },
    ]),
    tools: {
      here: { execute: () => 'performed here' },
      place: {},
      photo: {},
      send: requireApproval({ execute: () => 'sent' }),
      burn: requireApproval({ execute: () => 'burnt' }),
    },
  });
}

describe('uiAnswers', () => {
  it('are results, errors and approvals of what is open, and the run continues with them', async () => {
    const engine = memoryEngine();
    const agent = chat();
    const paused = await read(agent.stream('go', { engine, runId: 'r' }));
    expect(uiAnswers(paused)).toEqual({});
    const answered = withAnswers(paused, {
      p: { state: 'output-available', output: { city: 'Oslo' } },
      f: { state: 'output-error', errorText: 'no camera' },
      s: { state: 'approval-responded', approval: { id: 's', approved: true } },
      b: { state: 'approval-responded', approval: { id: 'b', approved: false, reason: 'too hot' } },
    });
    const answers = uiAnswers(answered);
    expect(answers).toEqual({
      p: { decision: 'value', value: { city: 'Oslo' } },
      f: { decision: 'deny', reason: 'no camera' },
      s: { decision: 'approve' },
      b: { decision: 'deny', reason: 'too hot' },
    });
    const ended = await read(agent.resumeStream('r', { engine, answers }), answered);
    expect(ended.metadata).toMatchObject({ ending: { kind: 'natural_end' } });
    expect(ended.parts.filter(isToolUIPart).map(({ toolCallId, state }) => [toolCallId, state])).toEqual([
      ['h', 'output-available'],
      ['p', 'output-available'],
      ['f', 'output-error'],
      ['s', 'output-available'],
      ['b', 'output-denied'],
    ]);
  });

  it('are none that nobody asked for, and no yes that is not one', async () => {
    const paused = await read(chat().stream('go'));
    const forged = withAnswers(paused, {
      h: { state: 'approval-responded', approval: { id: 'h', approved: true } },
      s: { state: 'output-available', output: 'as if it had been sent' },
      b: { state: 'approval-responded', approval: { id: 'b', approved: 'yes' } },
    });
    expect(uiAnswers(forged)).toEqual({ b: { decision: 'deny' } });
    expect(uiAnswers({ ...forged, metadata: undefined })).toEqual({});
    expect(uiAnswers({ parts: [{ type: 'text' }], metadata: { ending: { requests: [5] } } })).toEqual({});
  });
});
