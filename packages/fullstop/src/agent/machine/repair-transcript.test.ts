import { tool } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelMessage } from '../../models/message.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { runAgent } from '../run-agent.js';
import { repairTranscript } from './repair-transcript.js';

const asking = (...ids: readonly string[]): ModelMessage => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} })),
});
const result = (...ids: readonly string[]): ModelMessage => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'look',
    output: { type: 'text', value: 'seen' },
  })),
});
const user: ModelMessage = { role: 'user', content: 'go on' };

const makers = { ask: asking, result, user: () => user };

/** Finds what is wrong with a transcript: the calls that lack their results right after them, and the results without a call. */
function danglingIn(messages: readonly ModelMessage[]): readonly string[] {
  let open = new Set<string>();
  const wrong: string[] = [];
  for (const message of [...messages, user]) {
    if (message.role === 'tool') {
      for (const { toolCallId } of message.content) if (!open.delete(toolCallId)) wrong.push(`result ${toolCallId}`);
      continue;
    }
    wrong.push(...[...open].map((id) => `call ${id}`));
    const isAsking = message.role === 'assistant' && typeof message.content !== 'string';
    const parts = isAsking ? message.content : [];
    open = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])));
  }
  return wrong;
}

describe('a transcript with calls that have no result', () => {
  it('gets results for them after those that are there, before the run begins', async () => {
    const prompts: unknown[] = [];
    const model = scriptedModel([{ text: 'done' }], { onCall: ({ options }) => prompts.push(options.prompt) });
    const ended = await runAgent({ model, prompt: [user, asking('a', 'b'), result('a'), user] });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    const roles = ended.messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant']);
    expect(ended.messages[3]).toMatchObject({
      content: [
        { toolCallId: 'b', output: { type: 'error-text', value: expect.stringContaining('interrupted') as unknown } },
      ],
    });
    expect(danglingIn(prompts[0] as readonly ModelMessage[])).toEqual([]);
  });

  it('is left alone when nothing is missing, and has nothing missing afterwards, whatever it was', () => {
    const whole = [user, asking('a'), result('a')];
    expect(repairTranscript(whole)).toBe(whole);
    const message = fc
      .constantFrom('ask', 'result', 'user')
      .chain((kind) =>
        fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }).map((ids) => ({ kind, ids: ids.map(String) })),
      );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (list) => {
        const made = list.map(({ kind, ids }) => makers[kind as keyof typeof makers](...ids));
        const repaired = repairTranscript(made);
        expect(danglingIn(repaired)).toEqual([]);
        expect(repaired.filter(({ role }) => role !== 'tool')).toEqual(made.filter(({ role }) => role !== 'tool'));
        expect(repairTranscript(repaired)).toBe(repaired);
        if (danglingIn(made).length === 0) expect(repaired).toBe(made);
      }),
    );
  });
});

describe('a result', () => {
  it('that came after something else goes to its call', () => {
    expect(repairTranscript([asking('a', 'b'), result('a'), user, result('b'), user])).toEqual([
      asking('a', 'b'),
      result('a'),
      result('b'),
      user,
      user,
    ]);
  });

  it('answers the latest call of its id, and only that', () => {
    const [, , , second] = repairTranscript([asking('a'), result('a'), asking('a'), user]);
    expect(second).toMatchObject({ role: 'tool', content: [{ toolCallId: 'a', output: { type: 'error-text' } }] });
  });

  it('without a call, or the second for one, is not sent', () => {
    expect(repairTranscript([result('a'), user, asking('b'), result('b', 'c'), result('b')])).toEqual([
      user,
      asking('b'),
      result('b'),
    ]);
  });
});

describe('calls of one answer with the same id', () => {
  it('get ids of their own, in the conversation too', async () => {
    const twice = {
      toolCalls: [
        { tool: 'look', input: { n: 1 }, id: 'x' },
        { tool: 'look', input: { n: 2 }, id: 'x' },
      ],
    };
    const model = scriptedModel([twice, { text: 'done' }]);
    const ended = await runAgent({ model, prompt: 'go', tools: { look: { execute: (input: object) => input } } });
    expect(ended.toolCalls.map(({ id, output }) => [id, output])).toEqual([
      ['x', { type: 'json', value: { n: 1 } }],
      ['x#2', { type: 'json', value: { n: 2 } }],
    ]);
    expect(danglingIn(ended.messages)).toEqual([]);
  });
});

describe('a tool of the AI SDK', () => {
  it('says itself what the model sees of its result', async () => {
    const picture = tool({
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }) => ({ n }),
      toModelOutput: ({ output }) => ({
        type: 'content',
        value: [
          { type: 'text', text: `picture ${output.n}` },
          { type: 'image-data', data: 'AAAA', mediaType: 'image/png' },
        ],
      }),
    });
    const model = scriptedModel([{ toolCalls: [{ tool: 'picture', input: { n: 7 } }] }, { text: 'done' }]);
    const ended = await runAgent({ model, prompt: 'go', tools: { picture } });
    expect(ended.toolCalls[0]?.output).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'picture 7' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
      ],
    });
  });

  it('that the provider brings along is offered as such', async () => {
    const search = { type: 'provider', id: 'shop.search', args: { depth: 2 }, inputSchema: z.object({}) } as const;
    let offered: unknown;
    const model = scriptedModel(({ options }) => {
      offered = options.tools;
      return { text: 'done' };
    });
    await runAgent({ model, tools: { search }, prompt: 'go' });
    expect(offered).toEqual([{ type: 'provider', id: 'shop.search', name: 'search', args: { depth: 2 } }]);
  });
});
