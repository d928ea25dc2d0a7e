import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { defineRun } from '../../run/define-run.js';
import type { RunContext, UnitResult } from '../../run/run-context.js';
import { consecutiveErrors } from '../../stop/conditions/consecutive-errors.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { tokenBudget } from '../../stop/conditions/token-budget.js';
import { defineAgent } from '../define-agent.js';
import { approve, block, halt, transform } from '../options/directive.js';
import type { AgentHooks, ToolResultView } from '../options/hooks.js';
import { agentAsTool } from './agent-as-tool.js';
import { requireApproval, type ToolLike } from './tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const ask = { toolCalls: [{ tool: 'helper', input: { prompt: 'help' } }], usage };

const encoded = (id: string) => encodeURIComponent(id).replaceAll('~', '%7E');

describe('an agent as a tool', () => {
  it.each([undefined, {}, 'researcher'])('is made of an agent and nothing else: %j', (given) => {
    expect(() => agentAsTool(given as never)).toThrow(
      /agentAsTool: agent is .*; it must be the result of defineAgent\(…\)/,
    );
  });

  it('has its ending whole in the result of the call and among the children', async () => {
    for (const alwaysReplay of [false, true]) {
      const model = scriptedModel(
        { outer: [ask, { text: 'done', usage }], helper: [{ toolCalls: [{ tool: 'echo', input: {} }], usage }] },
        { exhausted: 'repeat-last' },
      );
      const helper = defineAgent({
        name: 'helper',
        model,
        tools: { echo: { execute: () => 'x' } },
        stopWhen: [maxIterations(2)],
      });
      const engine = memoryEngine();
      const outer = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper) } });
      const result = await outer.run('go', { engine, alwaysReplay });
      expect(result.termination).toEqual({ kind: 'natural_end' });
      const limit = { kind: 'max_iterations', limit: 2, used: 2, unit: 'iteration' };
      expect(result.children).toMatchObject([{ name: 'helper', termination: limit }]);
      expect(result.toolCalls[0]?.output).toMatchObject({ type: 'json', value: { termination: limit } });
      expect(result.usage.totalTokens).toBe(80);
      expect((await outer.result(result.runId, { engine }))?.children).toEqual(result.children);
    }
  });

  it('is distinguished from its other calls, whatever ids the model gives them', async () => {
    const ids = ['c#2', 'c~2', 'c~undo', 'c/d', 'c_d', 'c%2Fd'];
    const callOf = (id: string) => ({ tool: 'helper', input: { prompt: id }, id });
    const model = scriptedModel({
      outer: [
        { toolCalls: [callOf('c')] },
        { toolCalls: [callOf('c')] },
        { toolCalls: ids.map(callOf) },
        { text: 'ok' },
      ],
      helper: ['c', 'c', ...ids].map((text) => ({ text })),
    });
    const outer = defineAgent({
      name: 'outer',
      model,
      tools: { helper: agentAsTool(defineAgent({ name: 'helper', model })) },
      toolConcurrency: 1,
    });
    const result = await outer.run('go');
    expect(result.toolCalls.map(({ output }) => output)).toMatchObject(
      ['c', 'c', ...ids].map((text) => ({ value: { output: text } })),
    );
    const opened = (await result.journal()).filter(({ type }) => type === 'step_ended').map(({ scope }) => scope);
    expect(new Set(opened.filter((scope) => scope !== ''))).toEqual(
      new Set(['helper:c', 'helper:c#2', ...ids.map((id) => `helper:${encoded(id)}`)]),
    );
  });

  it('asks people through the run around it', async () => {
    const model = scriptedModel({
      outer: [ask, { text: 'done' }],
      helper: [{ toolCalls: [{ tool: 'send', input: {}, id: 'inner' }] }, { text: 'sent' }],
    });
    const helper = defineAgent({ name: 'helper', model, tools: { send: requireApproval({ execute: () => 'ok' }) } });
    const outer = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper) } });
    const paused = await outer.run('go');
    expect(paused.termination).toMatchObject({
      kind: 'interaction_pending',
      requests: [{ id: 'helper:outer_call_1/inner', path: 'helper:outer_call_1' }],
    });
    const ended = await paused.resume({ answers: { 'helper:outer_call_1/inner': approve() } });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(ended.children).toMatchObject([{ termination: { kind: 'natural_end' }, output: 'sent', text: 'sent' }]);
  });

  it('that ended is among the children while the rest of its batch waits, or was cancelled', async () => {
    const toolCalls = ['helper', 'work'].map((tool) => ({ tool, input: { prompt: 'go' }, id: tool }));
    const child = { name: 'helper', toolCallId: 'helper', termination: { kind: 'natural_end' }, text: 'helped' };
    const controller = new AbortController();
    const run = (work: ToolLike, hooks: AgentHooks = {}) => {
      const helper = defineAgent({ name: 'helper', model: scriptedModel([{ text: 'helped' }]), hooks });
      const tools = { helper: agentAsTool(helper), work };
      return defineAgent({ model: scriptedModel([{ toolCalls }]), tools, graceMs: 10 }).run('go', {
        signal: controller.signal,
      });
    };
    const paused = await run(requireApproval({ execute: () => 1 }));
    expect(paused.termination.kind).toBe('interaction_pending');
    expect(paused.children).toMatchObject([child]);
    // After everything that is ready here has run: nothing outside this process takes part.
    const onEnd = (): void => void setTimeout(() => controller.abort(), 50);
    const cancelled = await run({ execute: () => new Promise(() => undefined) }, { onEnd });
    expect(cancelled.termination.kind).toBe('cancelled');
    expect(cancelled.children).toMatchObject([child]);
    expect(cancelled.toolCalls.map(({ id }) => id)).toEqual(['helper']);
  });

  it('is guarded by the hooks of the agent around it, before and after', async () => {
    for (const alwaysReplay of [false, true]) {
      const outerWith = (hooks: AgentHooks) => {
        const model = scriptedModel({ outer: [ask, { text: 'done' }], helper: [{ text: 'helped' }] });
        const tools = { helper: agentAsTool(defineAgent({ name: 'helper', model })) };
        return defineAgent({ name: 'outer', model, tools, hooks }).run('go', { alwaysReplay });
      };
      const denied = await outerWith({ beforeTool: () => block('NO_HELP', 'alone') });
      expect(denied.toolCalls[0]?.error).toMatchObject({ code: 'NO_HELP', message: 'alone' });
      expect(denied.children).toEqual([]);
      const seen: ToolResultView[] = [];
      const changed = await outerWith({
        afterTool: (view) => {
          seen.push(view);
          return transform('short');
        },
      });
      expect(seen).toMatchObject([{ tool: 'helper', result: { output: 'helped' }, failed: false }]);
      expect(changed.toolCalls[0]?.output).toEqual({ type: 'text', value: 'short' });
      expect(changed.children).toMatchObject([{ termination: { kind: 'natural_end' }, text: 'helped' }]);
      const halted = await outerWith({ afterTool: () => halt('enough') });
      expect(halted.termination).toMatchObject({ kind: 'halted', by: { name: 'hooks.afterTool' } });
      expect(halted.children).toHaveLength(1);
    }
  });

  it('that fails is a call that failed, unless its agent takes that for a success', async () => {
    for (const [treatAsSuccess, expected] of [
      [() => false, 'consecutive_errors'],
      [() => true, 'natural_end'],
    ] as const) {
      const model = scriptedModel({
        outer: [ask, ask, { text: 'done' }],
        helper: [{ error: 'auth' }, { error: 'auth' }],
      });
      const tools = { helper: agentAsTool(defineAgent({ name: 'helper', model, treatAsSuccess })) };
      const result = await defineAgent({ name: 'outer', model, tools, stopWhen: [consecutiveErrors(2)] }).run('go');
      expect(result.termination.kind).toBe(expected);
      const error = { name: 'AgentFailed', code: 'PROVIDER_AUTH' };
      if (expected === 'consecutive_errors') expect(result.toolCalls).toMatchObject([{ error }, { error }]);
      else expect(result.toolCalls.map((call) => call.error)).toEqual([undefined, undefined]);
    }
  });

  it('shares the budget of the run around it', async () => {
    const model = scriptedModel(
      { outer: [ask], helper: [{ toolCalls: [{ tool: 'echo', input: {} }], usage }] },
      { exhausted: 'repeat-last' },
    );
    const helper = defineAgent({ name: 'helper', model, tools: { echo: { execute: () => 'x' } } });
    const outer = defineAgent({
      name: 'outer',
      model,
      tools: { helper: agentAsTool(helper) },
      stopWhen: [tokenBudget({ total: 100 })],
    });
    const result = await outer.run('go');
    expect(result.termination).toEqual({ kind: 'token_budget', limit: 100, used: 100 });
  });

  it('may be nested 8 agents deep, however deep the agents are in other units', async () => {
    const chain = (agents: number) => {
      const bottom = defineAgent({ name: 'a0', model: scriptedModel([{ text: 'bottom' }]) });
      let agent = bottom as unknown as ReturnType<typeof defineAgent>;
      for (let level = 1; level < agents; level += 1) {
        const call = { toolCalls: [{ tool: 'next', input: { prompt: 'go' } }] };
        const model = scriptedModel([call, { text: `level ${level}` }]);
        agent = defineAgent({ name: `a${level}`, model, tools: { next: agentAsTool(agent) } }) as never;
      }
      return agent;
    };
    const inUnits = (agents: number) =>
      defineRun({
        name: 'units',
        run: async (context) => {
          const goDown = (unit: RunContext, left: number): Promise<UnitResult> =>
            left === 0
              ? (chain(agents).within(unit, 'go') as Promise<UnitResult>)
              : unit.child(`unit${left}`, (inner) => goDown(inner, left - 1));
          return goDown(context, 6);
        },
      }).run(undefined);
    const deepEnough = await inUnits(9);
    expect(JSON.stringify(await deepEnough.journal())).toContain('bottom');
    const tooDeep = await inUnits(10);
    expect(JSON.stringify(await tooDeep.journal())).not.toContain('bottom');
    expect(JSON.stringify(await tooDeep.journal())).toContain('Agents stand 8 deep in one another');
  });
});
