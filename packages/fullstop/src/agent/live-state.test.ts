import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted-model.js';
import type { AgentHooks } from './hooks.js';
import { runAgent } from './run-agent.js';

const script = () =>
  scriptedModel([{ toolCalls: [{ tool: 'save', input: { list: [1], to: { a: 1 } } }] }, { text: 'done' }]);

interface Given {
  list: number[];
  to: { a: number };
}

/** Changes everything that it is given, as deep as it goes. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) spoil(inner);
  if (Array.isArray(value)) value.push('spoilt');
  else Object.assign(value, { spoilt: true });
}

describe('what user code is given', () => {
  it('is its own: a tool that changes its input and its messages changes nothing of the run', async () => {
    const execute = (input: Given, { messages }: { readonly messages: readonly unknown[] }): string => {
      spoil(input);
      spoil(messages);
      return 'saved';
    };
    const result = await runAgent({ model: script(), prompt: 'go', tools: { save: { execute } } });
    expect(result.toolCalls).toMatchObject([{ input: { list: [1], to: { a: 1 } } }]);
    expect(JSON.stringify([result.messages, await result.journal()])).not.toContain('spoilt');
  });

  it('is its own: hooks that change their views change nothing of the run', async () => {
    const spoiling = (view: object): undefined => spoil(view) as undefined;
    const hooks: AgentHooks = {
      onPrompt: spoiling,
      beforeIteration: spoiling,
      beforeModel: spoiling,
      afterModel: spoiling,
      beforeTool: spoiling,
      afterTool: spoiling,
      afterIteration: spoiling,
    };
    const tools = { save: { execute: () => ({ rows: [1] }) } };
    const result = await runAgent({ model: script(), prompt: 'go', tools, hooks });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(JSON.stringify([result.messages, result.toolCalls, await result.journal()])).not.toContain('spoilt');
  });
});
