import { describe, expect, it } from 'vitest';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { stallDetection } from '../stop/conditions/stall-detection.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { goal } from './options/goal.js';
import { runAgent } from './run-agent.js';
import { submitTool } from './tools/submit-tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const call = (n: number): ScriptAnswer => ({ toolCalls: [{ tool: 'echo', input: { n } }], usage });
const echo = { execute: (input: object) => input };
const prompt = 'go';

// The easily missed behaviours of Needlr's loop, by their numbers, each with what became of it here.
describe("Needlr's behaviours", () => {
  it('3, improved: budget pressure is a success only if the model used its last turn to answer', async () => {
    const stopWhen = [tokenBudget({ total: 60 }), budgetPressure(0.3)];
    const answered = scriptedModel([call(1), { text: 'in short', usage }]);
    const good = await runAgent({ model: answered, tools: { echo }, prompt, stopWhen });
    expect(good.termination).toMatchObject({ kind: 'budget_pressure', finalized: true });
    expect(good.outcome).toBe('succeeded');
    const busy = scriptedModel([call(1), call(2)]);
    const bad = await runAgent({ model: busy, tools: { echo, submit: submitTool() }, prompt, stopWhen });
    expect(bad.termination).toMatchObject({ kind: 'budget_pressure', finalized: false });
    expect(bad.outcome).toBe('failed');
  });

  it('4, improved: a goal that is reached in an iteration that looks like a stall is reached; the stall is in also', async () => {
    const result = await runAgent({
      model: scriptedModel([call(1), call(2), call(3)]),
      tools: { echo },
      prompt,
      goal: goal(({ toolCalls }) => toolCalls === 3),
      stopWhen: [stallDetection()],
    });
    expect(result.termination).toEqual({ kind: 'completed', check: 'iteration' });
    expect(result.also.map(({ kind }) => kind)).toEqual(['stall_detected']);
    const natural = scriptedModel([call(1), call(2), { text: 'done', usage }]);
    const text = await runAgent({ model: natural, tools: { echo }, prompt, stopWhen: [stallDetection()] });
    expect(text.termination).toEqual({ kind: 'natural_end' });
  });

  it('5, improved: pressure that is noticed in the middle of an iteration is reported to the model', async () => {
    const result = await runAgent({
      model: scriptedModel([call(1), { text: 'in short', usage }]),
      tools: { echo },
      prompt,
      roundsPerIteration: 5,
      wrapUp: 'wrap up',
      stopWhen: [tokenBudget({ total: 60 }), budgetPressure(0.3)],
    });
    expect(result.termination).toMatchObject({ kind: 'budget_pressure', finalized: true });
    expect(result.messages.some(({ content }) => content === 'wrap up')).toBe(true);
  });

  it('6, kept and improved: the limit of tool calls is reached at >=; a batch is cut there, and the rest is known as not made', async () => {
    const batch = { toolCalls: [1, 2, 3].map((n) => ({ tool: 'echo', input: { n } })), usage };
    const ends: string[] = [];
    const result = await runAgent({
      model: scriptedModel([batch]),
      tools: { echo },
      prompt,
      stopWhen: [maxToolCalls(2)],
      hooks: {
        afterIteration: () => void ends.push('iteration'),
        onEnd: ({ termination }) => void ends.push(termination.kind),
      },
    });
    expect(result.termination).toEqual({ kind: 'max_tool_calls', limit: 2, used: 2 });
    expect(result.toolCalls.map(({ error }) => error?.code)).toEqual([undefined, undefined, 'NOT_MADE']);
    // The iteration did not come to its end, but the run did.
    expect(ends).toEqual(['max_tool_calls']);
  });

  it('7, improved: a goal that the last call reached beats the limit of calls, however the goal is checked', async () => {
    for (const check of ['iteration', 'tool_rounds', 'tool_call'] as const) {
      const result = await runAgent({
        model: scriptedModel([call(1), call(2)]),
        tools: { echo },
        prompt,
        goal: goal(({ toolCalls }) => toolCalls >= 2, { check }),
        stopWhen: [maxToolCalls(2)],
      });
      expect(result.termination).toEqual({ kind: 'completed', check });
      expect(result.also).toEqual([{ kind: 'max_tool_calls', limit: 2, used: 2 }]);
    }
    const options = { tools: { echo }, prompt, stopWhen: [maxToolCalls(2)] };
    const missed = await runAgent({ ...options, model: scriptedModel([call(1), call(2)]), goal: goal(() => false) });
    expect(missed.termination.kind).toBe('max_tool_calls');
  });

  it('8, improved: a tool that the model must not see cannot be called either', async () => {
    let made = 0;
    const result = await runAgent({
      model: scriptedModel([call(1), { text: 'done' }]),
      tools: { echo: { execute: () => ++made } },
      prompt,
      permissions: { deny: ['echo'] },
    });
    expect(made).toBe(0);
    expect(result.toolCalls).toMatchObject([{ error: { code: 'DENIED' } }]);
  });

  it('9, improved: nothing that user code throws escapes; the ending names whose fault it was', async () => {
    const fail = (): never => {
      throw new Error('oops');
    };
    const options = { tools: { echo }, prompt };
    const hooked = await runAgent({ ...options, model: scriptedModel([call(1)]), hooks: { beforeIteration: fail } });
    expect(hooked.termination).toMatchObject({ kind: 'failed', origin: 'hook', error: { message: 'oops' } });
    const prompted = await runAgent({ ...options, model: scriptedModel([call(1)]), promptFor: fail });
    expect(prompted.termination).toMatchObject({ kind: 'failed', origin: 'loop' });
    const judged = await runAgent({ ...options, model: scriptedModel([call(1)]), goal: goal(fail) });
    expect(judged.termination).toMatchObject({ kind: 'failed', origin: 'loop' });
    const tools = { echo: { execute: fail } };
    const tooled = await runAgent({ prompt, tools, model: scriptedModel([call(1), { text: 'done' }]) });
    expect(tooled.termination).toEqual({ kind: 'natural_end' });
  });

  it('10, kept: no record where the prompt failed, else one with the real token counts', async () => {
    const fail = (): never => {
      throw new Error('oops');
    };
    const before = await runAgent({ model: scriptedModel([call(1)]), prompt, promptFor: fail });
    expect(before.iterations).toEqual([]);
    const behind = await runAgent({ model: scriptedModel([call(1)]), tools: { echo }, prompt, goal: goal(fail) });
    expect(behind.iterations).toMatchObject([{ iteration: 1, inputTokens: 10, outputTokens: 10, toolCalls: 1 }]);
    expect(behind.toolCalls).toHaveLength(1);
  });

  it('20, improved: a goal is asked once at a point and sees the whole run; its verdict is final', async () => {
    const seen: number[] = [];
    const result = await runAgent({
      model: scriptedModel([call(1), call(2)]),
      tools: { echo },
      prompt,
      goal: goal(
        ({ toolCalls, messages }) => {
          seen.push(toolCalls);
          // True only the first time that it is asked about the last call.
          return toolCalls === 2 && messages.length > 4 && seen.filter((count) => count === 2).length === 1;
        },
        { check: 'tool_rounds' },
      ),
      stopWhen: [maxIterations(2)],
    });
    expect(result.termination).toEqual({ kind: 'completed', check: 'tool_rounds' });
    expect(seen).toEqual([1, 2]);
  });
});
