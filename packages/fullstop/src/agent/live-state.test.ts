import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';

import { terminations } from '../termination/terminations.js';
import type { AnyAgentOptions } from './options/agent-options.js';
import { type GoalView, goal } from './options/goal.js';
import type { AgentHooks } from './options/hooks.js';
import { runAgent } from './run-agent.js';

const save = (id: string) => ({ toolCalls: [{ tool: 'save', input: { list: [1], to: { a: 1 } }, id }] });
const script = () => scriptedModel([save('c1'), save('c2'), { text: 'done' }]);
const tools = { save: { execute: () => ({ rows: [1] }) } };

interface Given {
  list: number[];
  to: { a: number };
}

/** Changes everything that it is given, as deep as it goes and as far as it is let. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) spoil(inner);
  try {
    if (Array.isArray(value)) value.push('spoilt');
    else Object.assign(value, { spoilt: true, kind: 'spoilt', iterations: 99, totalTokens: 99 });
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
  }
}

const spoiling = (view: object): undefined => spoil(view) as undefined;

const hookNames = [
  'onPrompt',
  'beforeIteration',
  'beforeModel',
  'afterModel',
  'beforeTool',
  'afterTool',
  'beforeCompaction',
  'afterCompaction',
  'afterIteration',
  'onEnd',
] as const;

async function isUnspoilt(over: Partial<AnyAgentOptions>): Promise<void> {
  for (const alwaysReplay of [false, true]) {
    const result = await runAgent({ model: script(), prompt: 'go', tools, ...over, alwaysReplay });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.toolCalls).toHaveLength(2);
    expect(JSON.stringify([result.messages, result.toolCalls, await result.journal()])).not.toContain('spoilt');
  }
}

describe('what user code is given cannot change the run', () => {
  it('in a tool: input and messages are its own', async () => {
    const execute = (input: Given, { messages }: { readonly messages: readonly unknown[] }): string => {
      spoil(input);
      spoil(messages);
      return 'saved';
    };
    await isUnspoilt({ tools: { save: { execute } } });
  });

  it.each(hookNames)('in the hook %s', async (hook) => {
    let asked = 0;
    const spoils = (view: object): undefined => {
      asked += 1;
      return spoiling(view);
    };
    await isUnspoilt({ hooks: { [hook]: spoils }, compaction: { contextWindow: 1, at: 0.5 } });
    expect(asked).toBeGreaterThan(0);
  });

  it.each(['iteration', 'tool_rounds', 'tool_call'] as const)('in a goal that is checked after: %s', async (check) => {
    await isUnspoilt({ goal: goal((view) => spoiling(view) !== undefined, { check }) });
  });

  it('in a condition', async () => {
    await isUnspoilt({ stopWhen: [stopCondition('spoils', (view) => spoiling(view))] });
  });

  it('in the function that writes prompts', async () => {
    const promptFor = (view: object): string => `prompt ${String(spoiling(view))}`;
    await isUnspoilt({ promptFor });
  });

  it('in a compaction strategy', async () => {
    const compact = (messages: readonly never[]): readonly never[] => {
      spoil(messages);
      return messages;
    };
    await isUnspoilt({ compaction: { contextWindow: 1, at: 0.5, strategies: [{ name: 'own', compact }] } });
  });

  it('by a verdict that is changed later', async () => {
    const verdict = { ...terminations.custom({ reason: 'enough', category: 'success' }) };
    const stopWhen = [stopCondition('own', () => verdict)];
    const hooks: AgentHooks = { onEnd: () => spoil(verdict) };
    const { termination } = await runAgent({ model: script(), prompt: 'go', tools, stopWhen, hooks });
    expect(termination).toEqual({ kind: 'custom', reason: 'enough', category: 'success' });
  });
});

describe('what user code keeps', () => {
  it('still shows what it was when the run has gone on', async () => {
    const kept: GoalView[] = [];
    const asked = goal((view) => kept.push(view) === 0);
    await runAgent({ model: script(), prompt: 'go', tools, goal: asked });
    const [first, second, third] = kept;
    // Looked at for the first time only now.
    expect([first?.messages.length, second?.messages.length, third?.messages.length]).toEqual([3, 5, 6]);
    expect([first?.iterations, first?.toolCalls, third?.toolCalls]).toEqual([0, 1, 2]);
    expect(first?.messages).toBe(first?.messages);
    expect(third?.messages.slice(0, 3)).toEqual(first?.messages);
    expect(JSON.parse(JSON.stringify({ ...first })) as object).toMatchObject({ messages: [{ role: 'user' }, {}, {}] });
  });

  it('is copied once for each message, however often it is looked at', async () => {
    const seen: (readonly unknown[])[] = [];
    const asked = goal(({ messages }) => seen.push(messages) === 0);
    const hooks: AgentHooks = { beforeModel: ({ messages }) => void seen.push(messages) };
    await runAgent({ model: script(), prompt: 'go', tools, goal: asked, hooks });
    expect(seen.length).toBeGreaterThan(4);
    for (const messages of seen) expect(messages[0]).toBe(seen[0]?.[0]);
  });
});
