import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineRun } from '../run/define-run.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import type { InteractionPending } from '../termination/kinds/human.js';
import type { AgentResult } from './agent.js';
import { defineAgent } from './define-agent.js';
import type { ContextRequest } from './options/context.js';
import type { AgentHooks, HookFacts } from './options/hooks.js';
import { runAgent } from './run-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { requireApproval, type ToolCallOptions } from './tools/tool.js';

interface Tenant {
  readonly tenant: string;
  readonly token: string;
}

const acme: Tenant = { tenant: 'acme', token: 'sk-very-secret' };
const call = (name: string, input = {}): ScriptAnswer => ({ toolCalls: [{ tool: name, input }] });
const script = (...answers: ScriptAnswer[]) => scriptedModel([...answers, { text: 'done' }]);
const tenantSchema = z.object({ tenant: z.string(), token: z.string() });

/** A tool that keeps what it was given. */
function spy() {
  const seen: ToolCallOptions<Tenant>[] = [];
  const execute = (_input: object, options: ToolCallOptions<Tenant>) => {
    seen.push(options);
    return options.context?.tenant ?? 'nobody';
  };
  return { seen, tool: { execute } };
}

describe('the context of a run', () => {
  it('reaches tools with the facts about their call', async () => {
    const { seen, tool: look } = spy();
    const model = script(call('look'), call('look'));
    const result = await runAgent({ model, tools: { look }, prompt: 'go', context: acme, runId: 'r1' });
    expect(result.toolCalls.map(({ output }) => output)).toMatchObject([{ value: 'acme' }, { value: 'acme' }]);
    const [first, second] = seen;
    expect(first?.context).toBe(acme);
    expect([first?.runId, first?.iteration, first?.attempt, second?.iteration]).toEqual(['r1', 1, 1, 2]);
    expect(first?.signal).toBe(first?.abortSignal);
    expect(first?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(first?.idempotencyKey).not.toBe(second?.idempotencyKey);
    expect(first?.toolCallId).not.toBe(second?.toolCallId);
  });

  it('is what tools of the AI SDK know under its name', async () => {
    const seen: unknown[] = [];
    const sdk = tool({
      inputSchema: z.object({}),
      needsApproval: (_input, { experimental_context }) => {
        seen.push(experimental_context);
        return false;
      },
      execute: async (_input, { experimental_context }) => {
        seen.push(experimental_context);
        return 'ok';
      },
    });
    await runAgent({ model: script(call('sdk')), tools: { sdk }, prompt: 'go', context: acme });
    expect(seen).toEqual([acme, acme]);
  });

  it('reaches every hook', async () => {
    const seen: Record<string, HookFacts> = {};
    const keep = (hook: string) => (view: HookFacts) => {
      seen[hook] = view;
      return undefined;
    };
    const hooks: AgentHooks = {
      onPrompt: keep('onPrompt'),
      beforeIteration: keep('beforeIteration'),
      beforeModel: keep('beforeModel'),
      afterModel: keep('afterModel'),
      beforeTool: keep('beforeTool'),
      afterTool: keep('afterTool'),
      afterIteration: keep('afterIteration'),
      onEnd: (view) => void keep('onEnd')(view),
    };
    const { tool: look } = spy();
    const model = script(call('look'));
    const result = await runAgent({ model, tools: { look }, hooks, prompt: 'go', context: acme });
    expect(Object.keys(seen).sort()).toEqual(Object.keys(hooks).sort());
    for (const [hook, view] of Object.entries(seen)) {
      expect(view.context, hook).toBe(acme);
      expect(view.runId, hook).toBe(result.runId);
      expect(view.signal.aborted, hook).toBeTypeOf('boolean');
    }
    expect(seen['beforeTool']).toMatchObject({ tool: 'look', input: {} });
    const { iteration, messages, attempt } = seen['beforeTool'] as HookFacts &
      Record<'iteration' | 'messages', unknown>;
    expect([iteration, attempt]).toEqual([1, 1]);
    expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
    expect(seen['onPrompt']?.attempt).toBeUndefined();
  });

  it('is in no entry of the journal, no ending and no result', async () => {
    const engine = memoryEngine();
    const { tool: look } = spy();
    const agent = defineAgent({ name: 'a', model: script(call('look')), tools: { look }, context: () => acme });
    const given = await agent.run('go', { engine, context: acme });
    const made = await agent.run('go', { engine });
    for (const { runId } of [given, made]) expect(JSON.stringify(await engine.journal(runId))).not.toContain('secret');
    expect(JSON.stringify([given, made])).not.toContain('secret');
  });

  it('is streamed to as well', async () => {
    const { seen, tool: look } = spy();
    const agent = defineAgent({ model: script(call('look')), tools: { look } });
    await agent.stream('go', { context: acme }).result;
    expect(seen[0]?.context).toBe(acme);
  });
});

describe('a run that is continued', () => {
  const paused = (context?: (run: ContextRequest) => Tenant | Promise<Tenant>) => {
    const { seen, tool: look } = spy();
    const agent = defineAgent({
      name: 'careful',
      model: script(call('look')),
      tools: { look: requireApproval({ ...look, contextSchema: tenantSchema }) },
      ...(context !== undefined && { context }),
    });
    return { seen, agent };
  };
  const approve = { decision: 'approve' } as const;
  const requestOf = ({ termination }: AgentResult): string =>
    termination.kind === 'interaction_pending' ? ((termination as InteractionPending).requests[0]?.id ?? '') : '';

  it('has the context that the resume brings, else the one that its definition makes', async () => {
    const engine = memoryEngine();
    const asked: ContextRequest[] = [];
    const { agent, seen } = paused(async (run) => {
      asked.push(run);
      return { ...acme, tenant: 'made' };
    });
    const first = await agent.run('go', { engine, runId: 'r1', context: acme });
    expect(first.termination.kind).toBe('interaction_pending');
    expect(asked).toEqual([]);
    await agent.resume('r1', { engine, answers: { [requestOf(first)]: approve } });
    expect(asked).toEqual([{ runId: 'r1', agent: 'careful', input: 'go' }]);
    expect(seen.map(({ context }) => context.tenant)).toEqual(['made']);
  });

  it('has the context of the run when its result is resumed', async () => {
    const { agent, seen } = paused();
    const first = await agent.run('go', { context: acme });
    await first.resume({ answers: { [requestOf(first)]: approve } });
    expect(seen.map(({ context }) => context)).toEqual([acme]);
  });

  it('is refused without a context, and nothing is journalled', async () => {
    const engine = memoryEngine();
    const { agent } = paused();
    const first = await agent.run('go', { engine, runId: 'r1', context: acme });
    const before = await engine.journal('r1');
    const answers = { [requestOf(first)]: approve };
    const resumed = agent.resume('r1', { engine, answers } as never);
    await expect(resumed).rejects.toMatchObject({ code: 'CONTEXT_MISSING' });
    expect(await engine.journal('r1')).toEqual(before);
  });

  it('asks its definition in a worker, and for each replay no more than once', async () => {
    const engine = memoryEngine();
    const asked: string[] = [];
    const { seen, tool: look } = spy();
    const agent = defineAgent({
      name: 'worked',
      model: script(call('look'), call('look')),
      tools: { look },
      context: async ({ runId, input }) => {
        asked.push(`${runId}: ${String(input)}`);
        return acme;
      },
    });
    await engine.start({ runId: 'w1', name: agent.name, version: agent.version, input: 'go' });
    const worker = engine.worker([agent]);
    const ending = await engine.waitForEnding('w1', 1);
    await worker.stop();
    expect(ending.termination.kind).toBe('natural_end');
    expect(asked).toEqual(['w1: go']);
    expect(seen.map(({ context }) => context)).toEqual([acme, acme]);
  });

  it('ends in a worker with the reason when there is no context, before the model is asked', async () => {
    const engine = memoryEngine();
    const model = script(call('look'));
    const agent = defineAgent({ name: 'poor', model, tools: { look: { needsContext: true, execute: () => 1 } } });
    await engine.start({ runId: 'w1', name: agent.name, version: agent.version, input: 'go' });
    const worker = engine.worker([agent]);
    const { termination } = await engine.waitForEnding('w1', 1);
    await worker.stop();
    expect(termination).toMatchObject({
      kind: 'failed',
      errorClass: 'configuration',
      error: { code: 'CONTEXT_MISSING' },
    });
    expect((await engine.journal('w1')).map(({ type }) => type)).not.toContain('step');
  });
});

describe('a run that needs a context and has none', () => {
  const needing = { needsContext: true, execute: () => 'ok' };

  it.each([
    ['a tool that says so', { tools: { pay: needing } }, 'the tool pay'],
    ['a tool with a schema for it', { tools: { pay: { contextSchema: tenantSchema } } }, 'the tool pay'],
    ['the agent', { needsContext: true }, 'the agent helper'],
    [
      'an agent inside',
      { tools: { sub: agentAsTool(defineAgent({ name: 'inner', model: script(), tools: { pay: needing } })) } },
      'the tool pay',
    ],
  ])('because of %s is refused before it starts', async (_name, options, neededBy) => {
    const engine = memoryEngine();
    const agent = defineAgent({ name: 'helper', model: script(), ...options } as never);
    const started = agent.run('go', { engine, runId: 'r1' });
    await expect(started).rejects.toMatchObject({
      code: 'CONTEXT_MISSING',
      message: expect.stringContaining(`The agent helper needs a context (${neededBy} does)`),
      details: { runId: 'r1', agent: 'helper', neededBy },
    });
    await expect(agent.stream('go', { engine }).result).rejects.toMatchObject({ code: 'CONTEXT_MISSING' });
    expect((await engine.list()).runs).toEqual([]);
  });

  it('is refused when its definition makes none, and with the error of its definition', async () => {
    const engine = memoryEngine();
    const none = defineAgent({ model: script(), tools: { pay: needing }, context: () => undefined });
    await expect(none.run('go', { engine })).rejects.toThrow('context(run) of the definition returned none');
    class Unauthorised extends Error {}
    const refusing = defineAgent({
      model: script(),
      context: () => Promise.reject(new Unauthorised('no session')),
    });
    await expect(refusing.run('go', { engine })).rejects.toBeInstanceOf(Unauthorised);
    expect((await engine.list()).runs).toEqual([]);
  });

  it('is refused with a context that does not fit, whose values are not in the message', async () => {
    const engine = memoryEngine();
    const tools = { pay: { contextSchema: tenantSchema, execute: () => 'ok' } };
    const agent = defineAgent({ name: 'helper', model: script(), tools });
    const started = agent.run('go', { engine, context: { tenant: 7, token: 'sk-very-secret' } } as never);
    const error = await started.catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'CONTEXT_INVALID', details: { neededBy: 'the tool pay' } });
    expect((error as Error).message).toContain('tenant');
    expect((error as Error).message).not.toContain('secret');
    expect((await engine.list()).runs).toEqual([]);
  });
});

describe('an agent inside another', () => {
  it('has the context of its parent, two levels deep too', async () => {
    const { seen, tool: look } = spy();
    const inner = defineAgent({ name: 'inner', model: script(call('look')), tools: { look } });
    const middle = defineAgent({
      name: 'middle',
      model: script(call('inner', { prompt: 'look' })),
      tools: { inner: agentAsTool(inner) },
    });
    const model = script(call('middle', { prompt: 'look' }));
    await runAgent({ model, tools: { middle: agentAsTool(middle) }, prompt: 'go', context: acme });
    expect(seen.map(({ context }) => context)).toEqual([acme]);
  });

  it('has that of its own definition when its parent has none', async () => {
    const { seen, tool: look } = spy();
    const tools = { look: { ...look, contextSchema: tenantSchema } };
    const inner = defineAgent({ name: 'inner', model: script(call('look')), tools, context: () => acme });
    const model = script(call('inner', { prompt: 'look' }));
    await runAgent({ model, tools: { inner: agentAsTool(inner) }, prompt: 'go' });
    expect(seen.map(({ context }) => context)).toEqual([acme]);
  });

  it('is given one where a body of your own runs it', async () => {
    const { seen, tool: look } = spy();
    const inner = defineAgent({ name: 'inner', model: script(call('look')), tools: { look } });
    const outer = defineRun({
      name: 'outer',
      run: (context) => context.child('part', (unit) => inner.within(unit, 'look', { context: acme })),
    });
    expect((await outer.run(undefined)).termination.kind).toBe('natural_end');
    expect(seen.map(({ context }) => context)).toEqual([acme]);
  });
});

describe('a context that was given', () => {
  it('stays the same object over replays of the run', async () => {
    const { seen, tool: look } = spy();
    const model = script(call('look'), call('look'));
    const agent = defineAgent({ model, tools: { look }, stopWhen: maxIterations(5) });
    const { termination } = await agent.run('go', { context: acme, alwaysReplay: true });
    expect(termination.kind).toBe('natural_end');
    expect(seen.map(({ context }) => context === acme)).toEqual([true, true]);
  });
});
