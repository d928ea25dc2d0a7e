import { jsonSchema, tool } from 'ai';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { LanguageModel } from '../models/language-model.js';
import { loopDetection } from '../stop/conditions/loop-detection.js';
import type { JsonValue } from '../termination/json.js';
import { matchCategory } from '../termination/match.js';
import type { Agent } from './agent.js';
import { defineAgent } from './define-agent.js';
import type { BaseKind } from './kinds.js';
import { halt, submit } from './options/directive.js';
import type { AgentHooks, ToolView } from './options/hooks.js';
import { runAgent } from './run-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { requireApproval, type ToolCallOptions, type ToolSet } from './tools/tool.js';

declare const model: LanguageModel;
declare const condition: boolean;
const prompt = 'go';
const querySchema = z.object({ q: z.string() });

interface Tenant {
  readonly tenant: string;
}

interface User {
  readonly user: number;
}

const byTenant = { execute: (input: object, { context }: ToolCallOptions<Tenant>) => [input, context.tenant] };
const byUser = { execute: async (_input: object, options: { readonly context: User }) => options.context.user };

type KindOf<T extends (...values: never[]) => unknown> =
  Awaited<ReturnType<T>> extends { readonly termination: { readonly kind: infer K } } ? K : never;

describe('a tool that is written in place', () => {
  it('has the input of its schema, whichever library that is of', () => {
    void runAgent({
      model,
      prompt,
      tools: {
        zod: {
          inputSchema: z.object({ n: z.string().transform(Number) }),
          execute: (input) => expectTypeOf(input).toEqualTypeOf<{ n: number }>(),
        },
        valibot: {
          inputSchema: v.object({ flag: v.boolean() }),
          execute: async ({ flag }) => expectTypeOf(flag).toEqualTypeOf<boolean>(),
        },
        sdk: {
          inputSchema: jsonSchema<{ n: number }>({}),
          execute: ({ n }, { toolCallId }) => {
            expectTypeOf(n).toEqualTypeOf<number>();
            expectTypeOf(toolCallId).toEqualTypeOf<string>();
          },
        },
        lazy: {
          inputSchema: () => jsonSchema<{ n: number }>({}),
          execute: ({ n }) => expectTypeOf(n).toEqualTypeOf<number>(),
        },
        json: {
          inputSchema: { type: 'object' },
          execute: (input) => expectTypeOf(input).toEqualTypeOf<JsonValue>(),
        },
        none: { execute: (input) => expectTypeOf(input).toEqualTypeOf<JsonValue>() },
        method: {
          inputSchema: querySchema,
          execute({ q }) {
            return q.length;
          },
        },
        approved: requireApproval({
          inputSchema: querySchema,
          execute: ({ q }) => expectTypeOf(q).toEqualTypeOf<string>(),
        }),
        expiring: requireApproval({ inputSchema: querySchema, execute: ({ q }) => q.length }, { deadline: '1h' }),
        ready: tool({ inputSchema: querySchema, execute: async ({ q }) => q }),
      },
    });
    void runAgent({
      model,
      prompt,
      // @ts-expect-error the input has q
      tools: { search: { inputSchema: querySchema, execute: ({ query }) => query } },
    });
    void defineAgent({
      model,
      tools: { search: { inputSchema: querySchema, execute: ({ q }) => expectTypeOf(q).toEqualTypeOf<string>() } },
    });
  });

  it('keeps the type of its result, wherever hooks and the context stand', () => {
    const handing = () =>
      runAgent({
        model,
        prompt,
        hooks: { onEnd: ({ termination }) => void termination.kind },
        tools: { hand: { inputSchema: querySchema, execute: ({ q }) => (q === '' ? submit(q) : 'no') } },
      });
    expectTypeOf<KindOf<typeof handing>>().toEqualTypeOf<BaseKind | 'submitted'>();
    const halting = () =>
      runAgent({
        model,
        prompt,
        hooks: { beforeTool: ({ tool, context }) => expectTypeOf([tool, context]).toEqualTypeOf<unknown[]>() as never },
        tools: { stop: { inputSchema: querySchema, execute: async ({ q }) => halt(q) } },
      });
    expectTypeOf<KindOf<typeof halting>>().toEqualTypeOf<BaseKind | 'halted' | 'plugin_requested'>();
  });

  it('may be one of any set, and of a set that is chosen', () => {
    const plain = { inputSchema: querySchema, execute: ({ q }: { q: string }) => q };
    const tools: ToolSet = { plain };
    void runAgent({ model, prompt, tools });
    void runAgent({ model, prompt, tools: condition ? { plain } : { other: { inputSchema: {}, execute: () => 1 } } });
    void runAgent({ model, prompt, tools: { ...(condition && { plain }), more: { execute: () => 1 } } });
  });
});

describe('the context of an agent', () => {
  it('is what all its tools need together', () => {
    void runAgent({ model, prompt, tools: { byTenant, byUser }, context: { tenant: 'a', user: 1 } });
    // @ts-expect-error the user is missing
    void runAgent({ model, prompt, tools: { byTenant, byUser }, context: { tenant: 'a' } });
    // @ts-expect-error the context is missing
    void runAgent({ model, prompt, tools: { byTenant } });
    void runAgent({ model, prompt, tools: { free: { execute: () => 1 } } });
    void runAgent({ model, prompt, tools: { free: { execute: () => 1 } }, context: { anything: 1 } });
  });

  it('is that of a schema where a tool has one', () => {
    const run = (context: { readonly tenant: string }) =>
      runAgent({
        model,
        prompt,
        tools: {
          look: {
            inputSchema: querySchema,
            contextSchema: z.object({ tenant: z.string() }),
            execute: ({ q }, { context }) => q + expectTypeOf(context).toEqualTypeOf<{ tenant: string }>(),
          },
        },
        context,
      });
    expectTypeOf(run).parameter(0).toEqualTypeOf<{ readonly tenant: string }>();
  });

  it('is asked for at every start and resume, unless the definition makes it', async () => {
    const engine = {} as never;
    const agent = defineAgent({ model, tools: { byTenant } });
    expectTypeOf(agent).toExtend<Agent<never, string, Tenant> | object>();
    void agent.run('go', { context: { tenant: 'a' } });
    void agent.stream('go', { context: { tenant: 'a' } });
    void agent.resume('r', { engine, context: { tenant: 'a' } });
    // @ts-expect-error the context is missing
    void agent.run('go');
    // @ts-expect-error the context is missing
    void agent.stream('go', {});
    // @ts-expect-error the context is missing
    void agent.resume('r', { engine });
    // @ts-expect-error it is of another type
    void agent.run('go', { context: { tenant: 1 } });
    const result = await agent.run('go', { context: { tenant: 'a' } });
    void result.resume();
    void result.resume({ context: { tenant: 'b' } });
    const making = defineAgent({ model, tools: { byTenant }, context: async ({ runId }) => ({ tenant: runId }) });
    void making.run('go');
    void making.run('go', { context: { tenant: 'a' } });
    void making.resume('r', { engine });
    // @ts-expect-error it is of another type
    void making.run('go', { context: { tenant: 1 } });
    // @ts-expect-error it makes another
    void defineAgent({ model, tools: { byTenant }, context: () => ({ user: 1 }) });
    // @ts-expect-error a context itself is given to run
    void defineAgent({ model, tools: { byTenant }, context: { tenant: 'a' } });
  });

  it('is needed for the agents inside it', () => {
    const inner = defineAgent({ model, tools: { byTenant } });
    const tools = { inner: agentAsTool(inner), byUser };
    void runAgent({ model, prompt, tools, context: { tenant: 'a', user: 1 } });
    // @ts-expect-error the agent inside needs the tenant
    void runAgent({ model, prompt, tools, context: { user: 1 } });
    const making = defineAgent({ model, tools: { byTenant }, context: () => ({ tenant: 'a' }) });
    void runAgent({ model, prompt, tools: { making: agentAsTool(making) } });
    // @ts-expect-error it would get this one
    void runAgent({ model, prompt, tools: { making: agentAsTool(making) }, context: { tenant: 1 } });
    const any: Agent = inner as never;
    void any.run('go');
  });

  it('has the type in hooks that they name', () => {
    const hooks: AgentHooks = { beforeTool: ({ context }: ToolView<Tenant>) => void context.tenant.length as never };
    void runAgent({ model, prompt, hooks });
    void runAgent({ model, prompt, hooks: { beforeModel: ({ context }) => void (context as Tenant).tenant as never } });
  });
});

describe('the union of endings', () => {
  it('has no kind of hooks and compactions that are not there', () => {
    const none = () => runAgent({ model, prompt });
    expectTypeOf<KindOf<typeof none>>().extract<'compaction_failed' | 'halted' | 'plugin_requested'>().toBeNever();
    const hooked = () => runAgent({ model, prompt, hooks: { afterModel: () => undefined } });
    expectTypeOf<KindOf<typeof hooked>>().toEqualTypeOf<BaseKind | 'halted' | 'plugin_requested'>();
    const listening = () => runAgent({ model, prompt, hooks: { name: 'l', onEnd: () => undefined } });
    expectTypeOf<KindOf<typeof listening>>().toEqualTypeOf<BaseKind>();
    const hooks: AgentHooks = {};
    const widened = () => runAgent({ model, prompt, hooks });
    expectTypeOf<KindOf<typeof widened>>().toEqualTypeOf<BaseKind | 'halted' | 'plugin_requested'>();
    const compacted = () => runAgent({ model, prompt, compaction: {}, stopWhen: loopDetection() });
    expectTypeOf<KindOf<typeof compacted>>().toEqualTypeOf<BaseKind | 'compaction_failed' | 'loop_detected'>();
    // @ts-expect-error a misspelt hook guards nothing
    void runAgent({ model, prompt, hooks: { beforeTol: () => undefined } });
    // @ts-expect-error a misspelt window is none
    void runAgent({ model, prompt, compaction: { contextwindow: 1 } });
  });

  it('asks for the arms of the categories that it has', async () => {
    const { termination } = await runAgent({ model, prompt });
    const arms = { success: () => 1, cancelled: () => 2, capacity: () => 3, retryable: () => 4, fatal: () => 5 };
    expectTypeOf(matchCategory(termination, arms)).toEqualTypeOf<number>();
    const asking = await runAgent({ model, prompt, tools: { ask: { description: 'outside' } } });
    // @ts-expect-error it may be paused
    matchCategory(asking.termination, arms);
  });
});
