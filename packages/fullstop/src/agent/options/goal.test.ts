import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { stopOnTool } from '../../stop/conditions/stop-on-tool.js';
import { tokenBudget } from '../../stop/conditions/token-budget.js';
import { runAgent } from '../run-agent.js';
import { halt, submit } from './directive.js';
import { goal } from './goal.js';

const usage = { inputTokens: 30, outputTokens: 30 };
const two = {
  toolCalls: [
    { tool: 'add', input: {} },
    { tool: 'add', input: {} },
  ],
  usage,
};

function counter() {
  let count = 0;
  const add = { execute: () => ++count };
  return { add, count: () => count };
}

describe('a goal', () => {
  it('is asked after an iteration, after its tools, or after each call', async () => {
    for (const [check, made] of [
      ['iteration', 2],
      ['tool_rounds', 2],
      ['tool_call', 1],
    ] as const) {
      for (const alwaysReplay of [false, true]) {
        const { add, count } = counter();
        const reached = goal(() => count() > 0, { check });
        const result = await runAgent({
          model: scriptedModel([two]),
          tools: { add },
          prompt: 'go',
          goal: reached,
          alwaysReplay,
        });
        expect(result.termination).toEqual({ kind: 'completed', check });
        expect(count()).toBe(made);
        expect(result.toolCalls).toHaveLength(2);
        expect(result.toolCalls[1]?.error?.code).toBe(check === 'tool_call' ? 'SKIPPED' : undefined);
      }
    }
  });

  it('that is reached with a final answer wins over it, and over a budget that is used up', async () => {
    const answered = await runAgent({
      model: scriptedModel([{ text: 'done', usage }]),
      prompt: 'go',
      goal: goal(() => true),
      stopWhen: [tokenBudget({ total: 10 })],
    });
    expect(answered.termination).toEqual({ kind: 'completed', check: 'iteration' });
    expect(answered.also.map(({ kind }) => kind)).toEqual(['natural_end', 'token_budget']);
  });

  it.each(['iteration', 'tool_rounds', 'tool_call'] as const)(
    'that says neither yes nor no, asked at %s, is a fault of the agent',
    async (check) => {
      for (const said of ['yes', 1, null, undefined, Promise.resolve([])]) {
        const { termination } = await runAgent({
          model: scriptedModel([two], { exhausted: 'repeat-last' }),
          tools: { add: counter().add },
          prompt: 'go',
          goal: goal(() => said as never, { check }),
        });
        expect(termination).toMatchObject({ kind: 'failed', errorClass: 'configuration' });
        expect(termination).toMatchObject({
          error: { message: expect.stringMatching(/^The goal returned .*; it must return true or false\.$/) },
        });
      }
    },
  );

  it('is not hidden by a budget at the same point', async () => {
    const { add } = counter();
    const result = await runAgent({
      model: scriptedModel([two]),
      tools: { add },
      prompt: 'go',
      stopWhen: [stopOnTool('add'), tokenBudget({ total: 60 })],
    });
    // The budget was used up before the tools were called: an earlier point wins.
    expect(result.termination.kind).toBe('token_budget');
    const final = await runAgent({
      model: scriptedModel([{ text: 'done', usage }]),
      prompt: 'go',
      stopWhen: [tokenBudget({ total: 60 })],
    });
    expect(final.termination.kind).toBe('natural_end');
    expect(final.also.map(({ kind }) => kind)).toEqual(['token_budget']);
  });

  it('keeps the results of the batch when a tool halts or submits; the one that halts wins in any order', async () => {
    const tools = {
      first: { execute: () => submit(1) },
      second: { execute: () => halt('stop') },
      third: { execute: () => 'kept' },
    };
    const toolCalls = [{ tool: 'third' }, { tool: 'first' }, { tool: 'second' }];
    const result = await runAgent({ model: scriptedModel([{ toolCalls }]), tools, prompt: 'go' });
    expect(result.termination).toMatchObject({ kind: 'halted', by: { type: 'tool', name: 'second' } });
    expect(result.also.map(({ kind }) => kind)).toEqual(['submitted']);
    expect(result.toolCalls[0]?.output).toEqual({ type: 'text', value: 'kept' });
    const reversed = await runAgent({
      model: scriptedModel([{ toolCalls: toolCalls.toReversed() }]),
      tools,
      prompt: 'go',
    });
    expect(reversed.termination.kind).toBe('halted');
  });
});
