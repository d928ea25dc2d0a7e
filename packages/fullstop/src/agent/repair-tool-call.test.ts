import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { ScriptAnswer, ScriptToolCall } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { consecutiveMistakes } from '../stop/conditions/consecutive-mistakes.js';
import { defineAgent } from './define-agent.js';
import type { BrokenCallView, RepairedCall, RepairToolCall } from './options/repair-tool-call.js';
import { runAgent } from './run-agent.js';

const search = { inputSchema: z.object({ q: z.string() }), execute: ({ q }: { q: string }) => `found ${q}` };
const call = (made: ScriptToolCall): ScriptAnswer => ({ toolCalls: [{ id: 'c', ...made }] });

async function runWith(made: ScriptToolCall, repairToolCall: RepairToolCall, alwaysReplay = false) {
  const model = scriptedModel([call(made), { text: 'done' }]);
  const views: BrokenCallView[] = [];
  const result = await runAgent({
    model,
    tools: { search },
    prompt: 'go',
    alwaysReplay,
    stopWhen: [consecutiveMistakes(1)],
    repairToolCall: (view) => {
      views.push(view);
      return repairToolCall(view);
    },
  });
  return { result, views };
}

const fits = (): RepairedCall => ({ tool: 'search', input: { q: 'x' } });

describe('repairToolCall', () => {
  it.each<[string, ScriptToolCall, object]>([
    ['of a tool that there is not', { tool: 'serch', input: { q: 'x' } }, { problem: 'unknown_tool', tool: 'serch' }],
    [
      'whose arguments are not JSON',
      { tool: 'search', inputText: '{"q": "x"' },
      { problem: 'bad_arguments', inputText: '{"q": "x"', input: {} },
    ],
    [
      'whose arguments do not fit',
      { tool: 'search', input: { query: 'x' } },
      { problem: 'bad_arguments', input: { query: 'x' } },
    ],
  ])('repairs a call %s, which is no mistake then', async (_, made, seen) => {
    for (const alwaysReplay of [false, true]) {
      const { result, views } = await runWith(made, fits, alwaysReplay);
      expect(result.termination).toEqual({ kind: 'natural_end' });
      expect(result.toolCalls).toMatchObject([
        { id: 'c', tool: 'search', input: { q: 'x' }, output: { type: 'text', value: 'found x' } },
      ]);
      expect(views).toMatchObject([{ ...seen, toolCallId: 'c', tools: ['search'] }]);
      expect(views[0]?.messages).toHaveLength(1);
      // What the model reads of it later is the repaired call; the journal has both.
      expect(result.messages[1]).toMatchObject({
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'search', input: { q: 'x' } }],
      });
      expect(result.iterations[0]?.repaired).toMatchObject([{ id: 'c', tool: made.tool, repaired: true }]);
    }
  });

  it('sees the schema of a tool that there is', async () => {
    const { views } = await runWith({ tool: 'search', input: {} }, fits);
    expect(views[0]?.inputSchema).toMatchObject({ type: 'object', required: ['q'] });
    expect(views[0]?.message).toMatch(/The arguments do not fit: q/);
  });

  it.each<[string, RepairToolCall, RegExp | undefined]>([
    ['returns nothing', () => undefined, undefined],
    ['throws', () => Promise.reject(new Error('the helper is down')), /the helper is down/],
    ['returns a call that does not fit either', () => ({ input: { q: 1 } }), /cannot be made either.*q/s],
    ['returns a tool that there is not', () => ({ tool: 'find' }), /no tool named "find"/],
    ['returns something else', () => 'search' as never, /repairToolCall is/],
    ['misspells what it returns', () => ({ args: { q: 'x' } }) as never, /has no option "args"/],
  ])('that %s leaves the call a mistake, which the model reads', async (_, repair, error) => {
    const { result, views } = await runWith({ tool: 'search', input: { query: 'x' } }, repair);
    expect(result.termination).toMatchObject({ kind: 'consecutive_mistakes', limit: 1 });
    expect(result.toolCalls[0]?.output).toMatchObject({
      type: 'error-text',
      value: expect.stringMatching(/^The arguments do not fit/),
    });
    // Once, whatever came of it.
    expect(views).toHaveLength(1);
    const [kept] = result.iterations[0]?.repaired ?? [];
    expect(kept?.repaired).toBe(false);
    if (error === undefined) expect(kept).not.toHaveProperty('error');
    else expect(kept?.error?.message).toMatch(error);
  });

  it('is not asked about calls that can be made, nor about those that nobody may make', async () => {
    const asked: string[] = [];
    const result = await runAgent({
      model: scriptedModel([
        {
          toolCalls: [
            { tool: 'search', input: { q: 'x' } },
            { tool: 'secret', input: 1 },
          ],
        },
        { text: 'done' },
      ]),
      tools: { search, secret: search },
      permissions: { deny: ['secret'] },
      prompt: 'go',
      repairToolCall: ({ tool }) => {
        asked.push(tool);
        return undefined;
      },
    });
    expect(asked).toEqual([]);
    expect(result.toolCalls[1]?.error?.code).toBe('DENIED');
    expect(result.iterations[0]).not.toHaveProperty('repaired');
  });

  it('cannot call a tool that nobody may call, nor one that is not active', async () => {
    for (const tool of ['secret', 'idle']) {
      const result = await runAgent({
        model: scriptedModel([call({ tool: 'serch' }), { text: 'done' }]),
        tools: { search, secret: search, idle: search },
        permissions: { deny: ['secret'] },
        prepareStep: () => ({ activeTools: ['search', 'secret'] }),
        prompt: 'go',
        repairToolCall: () => ({ tool, input: { q: 'x' } }),
      });
      expect(result.toolCalls[0]?.error?.code).toBe('UNKNOWN_TOOL');
    }
  });

  it('is guarded: hooks and people see the repaired call', async () => {
    const seen: unknown[] = [];
    const result = await runAgent({
      model: scriptedModel([call({ tool: 'serch' }), { text: 'done' }]),
      tools: { search: { ...search, needsApproval: true as const } },
      prompt: 'go',
      repairToolCall: fits,
      hooks: {
        afterModel: ({ toolCalls }) => void seen.push(toolCalls) as undefined,
        beforeTool: ({ tool, input }) => void seen.push({ tool, input }) as undefined,
      },
    });
    expect(result.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ tool: 'search' }] });
    expect(seen).toEqual([[{ id: 'c', tool: 'search', input: { q: 'x' } }], { tool: 'search', input: { q: 'x' } }]);
  });

  it('is never asked again: the journal has its answer', async () => {
    let asked = 0;
    const engine = memoryEngine();
    const agent = defineAgent({
      name: 'a',
      model: scriptedModel([call({ tool: 'serch' }), { text: 'done' }]),
      tools: { search },
      repairToolCall: () => {
        asked += 1;
        return fits();
      },
    });
    const result = await agent.run('go', { engine, runId: 'r' });
    const again = await agent.result('r', { engine });
    expect(again?.toolCalls).toEqual(result.toolCalls);
    expect(asked).toBe(1);
  });
});
