import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../models/message.js';
import { scriptedModel } from '../models/scripted-model.js';
import { clearToolResults, maskToolResults, pin, summarise } from './compaction.js';
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

  it('keeps what is pinned, in its place, whatever the strategies do', async () => {
    const model = scriptedModel([call, { error: 'context_length' }, { text: 'done' }]);
    const forgetful = { name: 'forget', compact: (messages: readonly ModelMessage[]) => messages.slice(-2) };
    const rules = pin({ role: 'user', content: 'never delete anything' });
    const prompt = [{ role: 'user', content: 'hello' } as const, rules, { role: 'user', content: 'go' } as const];
    const result = await runAgent({ model, tools: { look }, prompt, compaction: { strategies: [forgetful] } });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(result.messages[0]).toEqual(rules);
  });

  it('never sends calls without results, even if a strategy parted them', async () => {
    const model = scriptedModel([call, { error: 'context_length' }, { text: 'done' }]);
    const careless = { name: 'cut', compact: (messages: readonly ModelMessage[]) => messages.slice(0, -1) };
    const result = await runAgent({ model, tools: { look }, prompt: 'go', compaction: { strategies: [careless] } });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(values(result.messages)).toEqual(['This call was interrupted: it has no result.']);
  });

  it.each([
    ['a text', () => 'short', 'left "short"'],
    ['what are no messages', () => [1], 'left a list'],
    ['nothing', () => [], 'left no message'],
  ])('fails with the name of a strategy that gives %s', async (_name, compact, words) => {
    const model = scriptedModel([{ error: 'context_length' }, { text: 'done' }]);
    const strategies = [{ name: 'own', compact: compact as never }];
    const { termination } = await runAgent({ model, prompt: 'go', compaction: { strategies } });
    expect(termination).toMatchObject({ kind: 'compaction_failed', stage: 'own' });
    expect(JSON.stringify(termination)).toContain(JSON.stringify(words).slice(1, -1));
  });

  it('masks long results but the latest', async () => {
    const model = scriptedModel([call, call, { error: 'context_length' }, { text: 'done' }]);
    const strategies = [maskToolResults({ longest: 6, keep: 1 })];
    const result = await runAgent({ model, tools: { look }, prompt: 'go', compaction: { strategies } });
    expect(values(result.messages)).toEqual(['a long\n[7 more characters were cut to save space.]', 'a long result']);
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
