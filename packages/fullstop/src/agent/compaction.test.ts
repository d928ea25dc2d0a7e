import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted-model.js';
import { clearToolResults, summarise } from './compaction.js';
import { runAgent } from './run-agent.js';

const usage = { inputTokens: 50, outputTokens: 5 };
const look = { execute: () => 'a long result' };
const call = { toolCalls: [{ tool: 'look', input: {} }], usage };
const values = (messages: readonly { readonly role: string; readonly content: unknown }[]): readonly unknown[] =>
  messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (content as readonly { output: { value: unknown } }[])[0]?.output.value);

describe('compaction', () => {
  it('helps once in an iteration when the prompt is too long', async () => {
    for (const alwaysReplay of [false, true]) {
      const model = scriptedModel([call, call, call, { error: 'context_length' }, { text: 'done' }]);
      const compaction = { strategies: [clearToolResults({ keep: 1 })] };
      const result = await runAgent({ model, tools: { look }, prompt: 'go', compaction, alwaysReplay });
      expect(result.termination).toEqual({ kind: 'natural_end' });
      const gone = '[This result was cleared to save space.]';
      expect(values(result.messages)).toEqual([gone, gone, 'a long result']);
      expect(result.toolCalls).toHaveLength(3);
    }
    const hopeless = scriptedModel([{ error: 'context_length' }], { exhausted: 'repeat-last' });
    const result = await runAgent({ model: hopeless, prompt: 'go', compaction: {} });
    expect(result.termination.kind).toBe('prompt_too_long');
  });

  it('comes before the window is full, and may summarise', async () => {
    const model = scriptedModel({
      agent: [call, call, call, { text: 'done', usage: { inputTokens: 5, outputTokens: 5 } }],
      compaction: [{ text: 'looked twice', usage: { inputTokens: 7, outputTokens: 3 } }],
    });
    const compaction = { contextWindow: 80, strategies: [summarise({ keep: 2 })] };
    const result = await runAgent({ model, tools: { look }, prompt: 'go', compaction });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool', 'assistant']);
    expect(result.messages[1]?.content).toContain('looked twice');
    expect(result.usage.totalTokens).toBe(3 * 55 + 10 + 10);
  });
});
