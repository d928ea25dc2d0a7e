import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../models/message.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { runAgent } from '../run-agent.js';
import { clearToolResults, maskToolResults, pin, summarise } from './compaction.js';

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
    ['a text', () => 'short', 'own is "short"'],
    ['what are no messages', () => [1], 'own has 1 at [0]'],
    ['a message of nobody', () => [{ role: 'robot', content: 'x' }], 'own has a message at [0] whose role is "robot"'],
    ['an empty message', () => [{ role: 'user' }], 'own has a message at [0] whose content is nothing'],
    ['nothing', () => [], 'own is an empty list'],
  ])('fails with the name of a strategy that returns %s', async (_name, compact, words) => {
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

  it('asks for a summary again when the provider is busy, and then the fallback models', async () => {
    const options = { tools: { look }, prompt: 'go', clock: simulatedClock(), retry: { attempts: 2 } } as const;
    const compaction = { contextWindow: 80, strategies: [summarise({ keep: 2 })] };
    const busy = { error: { status: 429, retryAfter: '2s' } };
    const agent = [call, call, call, { text: 'done', usage: { inputTokens: 5, outputTokens: 5 } }];
    const model = scriptedModel({ agent, compaction: [busy, { text: 'looked twice', usage }] });
    const again = await runAgent({ ...options, model, compaction });
    expect(again.termination).toEqual({ kind: 'natural_end' });
    expect(again.messages[1]?.content).toContain('looked twice');
    expect(again.durationMs).toBe(2_000);
    const fallbackModels = [scriptedModel({ compaction: [{ text: 'stood in', usage }] })];
    const failing = scriptedModel({ agent, compaction: [{ error: 'auth' }] });
    const stoodIn = await runAgent({ ...options, model: failing, fallbackModels, compaction });
    expect(stoodIn.messages[1]?.content).toContain('stood in');
    expect(stoodIn.usage.totalTokens).toBe(4 * 55 + 10);
  });

  it('helps an overflow also where the window was found too full before the call', async () => {
    const model = scriptedModel([call, call, call, { error: 'context_length' }, { text: 'done', usage }]);
    let times = 0;
    const count = {
      name: 'count',
      compact: (messages: readonly ModelMessage[]) => {
        times += 1;
        return messages;
      },
    };
    const compaction = { contextWindow: 80, strategies: [count] };
    const result = await runAgent({ model, tools: { look }, prompt: 'go', compaction });
    expect([result.termination.kind, times]).toEqual(['natural_end', 4]);
  });

  it('keeps one of what is pinned, also where a strategy gives copies', async () => {
    const copies = { name: 'copy', compact: (messages: readonly ModelMessage[]) => structuredClone(messages) };
    const rules = pin({ role: 'user', content: 'never delete anything' });
    const prompt = [rules, { role: 'user', content: 'go' } as const];
    const model = scriptedModel([call, { error: 'context_length' }, { text: 'done' }]);
    const result = await runAgent({ model, tools: { look }, prompt, compaction: { strategies: [copies] } });
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool', 'assistant']);
    expect(result.messages[0]).toEqual(rules);
  });

  it('keeps the call of a pinned result, and drops results whose call is gone', async () => {
    const asked = (id: string): ModelMessage => ({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: id, toolName: 'look', input: {} }],
    });
    const seen = (id: string): ModelMessage => ({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'look', output: { type: 'text', value: id } }],
    });
    const prompt = [asked('a'), pin(seen('a')), asked('b'), seen('b'), { role: 'user', content: 'go' } as const];
    const strategies = [{ name: 'tail', compact: (messages: readonly ModelMessage[]) => messages.slice(3) }];
    const model = scriptedModel([{ error: 'context_length' }, { text: 'done' }]);
    const result = await runAgent({ model, prompt, compaction: { strategies } });
    expect(result.messages.slice(0, -1)).toEqual([asked('a'), pin(seen('a')), prompt[4]]);
  });
});
