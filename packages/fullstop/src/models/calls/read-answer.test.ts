import { describe, expect, it } from 'vitest';
import { readAnswer } from './read-answer.js';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

function answerWith(part: object): unknown {
  return { content: [{ toolCallId: 'one', toolName: 'search', ...part }], finishReason: 'tool-calls', usage: {} };
}

describe('readAnswer', () => {
  it('reads arguments that nest as deep as a journal can hold', () => {
    const input = nested(180);
    const { toolCalls } = readAnswer(answerWith({ type: 'tool-call', input }));
    expect(toolCalls).toEqual([{ id: 'one', tool: 'search', input: JSON.parse(input) }]);
  });

  it('reads numbers as a journal returns them', () => {
    const input = `{"zero":-0,"small":[-0.0e7,1e-3],"large":1e400,"long":${'9'.repeat(400)},"day":"2026-01-02"}`;
    const { toolCalls } = readAnswer(answerWith({ type: 'tool-call', input }));
    const value = { zero: 0, small: [0, 0.001], large: null, long: null, day: '2026-01-02' };
    expect(toolCalls).toEqual([{ id: 'one', tool: 'search', input: value }]);
  });

  it('takes arguments that nest deeper for invalid ones, so that the model is told and the run continues', () => {
    const input = nested(181);
    const { toolCalls } = readAnswer(answerWith({ type: 'tool-call', input }));
    expect(toolCalls).toEqual([{ id: 'one', tool: 'search', input: {}, invalid: input }]);
  });

  it('sends back no text that is blank, unless it carries something', () => {
    const marked = { type: 'text', text: ' ', providerMetadata: { openai: { itemId: 'item_1' } } };
    const content = [{ type: 'text', text: ' \n' }, { type: 'reasoning', text: ' ' }, marked];
    const answer = readAnswer({ content, finishReason: 'stop', usage: {} });
    expect(answer.text).toBe(' \n ');
    expect(answer.content).toEqual([{ type: 'text', text: ' ', providerOptions: { openai: { itemId: 'item_1' } } }]);
  });

  it('leaves out results of the provider that nest deeper', () => {
    const { content } = readAnswer(answerWith({ type: 'tool-result', result: JSON.parse(nested(10_000)) }));
    expect(content).toMatchObject([{ type: 'tool-result', output: { type: 'json', value: null } }]);
  });
});
