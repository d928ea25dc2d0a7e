import { expect, test } from 'vitest';
import { z } from 'zod';
import * as langgraphAdapter from '../../packages/fullstop/src/adapters/langgraph/index.js';
import * as openaiAdapter from '../../packages/fullstop/src/adapters/openai-agents/index.js';
import { memoryEngine } from '../../packages/fullstop/src/engines/memory/memory-engine.js';
import { type AnyModule, loadFramework } from './load-framework.js';

const usage = {
  requests: 1,
  inputTokens: 40,
  outputTokens: 10,
  totalTokens: 50,
  inputTokensDetails: [],
  outputTokensDetails: [],
};

/** A model of the OpenAI Agents SDK that asks for the tool once and answers when it has the result. */
const openaiModel = {
  getResponse: async ({ input }: { readonly input: readonly { readonly type?: string }[] }) => ({
    usage,
    output: input.some(({ type }) => type === 'function_call_result')
      ? [
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'shipped' }],
          },
        ]
      : [{ type: 'function_call', callId: 'call_1', name: 'deploy', status: 'completed', arguments: '{"to":"prod"}' }],
  }),
  getStreamedResponse: () => {
    throw new Error('not streamed');
  },
};

test('OpenAI Agents: a state that was written down continues elsewhere, and the tool runs once', async () => {
  const { Agent, RunState, run, setTracingDisabled, tool } = await loadFramework('openai-agents', '@openai/agents');
  setTracingDisabled(true);
  const deployed: string[] = [];
  const deploy = tool({
    name: 'deploy',
    description: 'deploy',
    parameters: z.object({ to: z.string() }),
    needsApproval: true,
    execute: async ({ to }: { readonly to: string }) => {
      deployed.push(to);
      return 'deployed';
    },
  });
  const agent = new Agent({ name: 'deployer', model: openaiModel, tools: [deploy] });
  const engine = memoryEngine();
  const first = await openaiAdapter.withEnding(run, [agent, 'ship it'], { engine, runId: 'ship' });
  expect(first.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'call_1' }] });

  const answers = { call_1: { decision: 'approve' } } as const;
  const unreadable = await openaiAdapter.resumeWithEnding(run, [agent, 'ship it'], { engine, runId: 'ship', answers });
  expect(unreadable.termination).toMatchObject({ kind: 'failed', error: { code: 'INVALID_OPTION' } });
  expect(deployed).toEqual([]);

  const second = await openaiAdapter.resumeWithEnding(run, [agent, 'ship it'], {
    engine,
    runId: 'ship',
    restore: (state) => RunState.fromString(agent, state),
  });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(second.run.output).toBe('shipped');
  expect(deployed).toEqual(['prod']);
});

test('LangGraph: an interrupt is answered on its thread; without a checkpointer nothing can be continued', async () => {
  const graphs = await loadFramework('langgraph', '@langchain/langgraph');
  const { Annotation, END, MemorySaver, START, StateGraph, interrupt } = graphs;
  const State = Annotation.Root({ choice: Annotation(), rounds: Annotation() });
  const asking = new StateGraph(State)
    .addNode('ask', () => ({ choice: interrupt({ question: 'Which one?' }) }))
    .addEdge(START, 'ask')
    .addEdge('ask', END);
  const thread = { configurable: { thread_id: 'one' } };
  const graph = asking.compile({ checkpointer: new MemorySaver() });
  const first = await langgraphAdapter.withEnding(graph, [{}, thread]);
  const [request] = first.termination.kind === 'interaction_pending' ? first.termination.requests : [];
  const second = await first.run.resume({
    answers: { [request?.id ?? '']: { decision: 'value', value: 'the red one' } },
  });
  expect(second.termination).toEqual({ kind: 'flow_completed', last: '__end__' });
  expect(second.result).toMatchObject({ choice: 'the red one' });

  const endless = new StateGraph(State)
    .addNode('turn', ({ rounds = 0 }: { readonly rounds?: number }) => ({ rounds: rounds + 1 }))
    .addEdge(START, 'turn')
    .addConditionalEdges('turn', ({ rounds }: { readonly rounds: number }) => (rounds < 6 ? 'turn' : END));
  const lost = await langgraphAdapter.withEnding(endless.compile(), [{}, { recursionLimit: 3 }]);
  expect(lost.termination).toEqual({ kind: 'max_iterations', limit: 3, used: 3, unit: 'step' });
  expect(lost.run.resumable).toMatchObject({ how: 'no' });
  await expect(lost.run.resume()).rejects.toMatchObject({ code: 'RUN_CLOSED' });

  const saver = endless.compile({ checkpointer: new MemorySaver() });
  const stopped = await langgraphAdapter.withEnding(saver, [{}, { recursionLimit: 5, ...thread }]);
  expect(stopped.termination.kind).toBe('max_iterations');
  expect(stopped.run.resumable).toEqual({ how: 'raise_limit' });
  const continued = await stopped.run.resume();
  expect(continued.termination).toEqual({ kind: 'flow_completed', last: '__end__' });
  expect(continued.result).toMatchObject({ rounds: 6 });
});

test('LangGraph: the result of a tool of the client is what the model hears', async () => {
  const { AIMessage, createAgent, tool } = await loadFramework('langgraph', 'langchain');
  const { MemorySaver } = await loadFramework('langgraph', '@langchain/langgraph');
  const { BaseChatModel } = await loadFramework('langgraph', '@langchain/core/language_models/chat_models');
  const heard: unknown[] = [];
  class Locating extends BaseChatModel {
    _llmType(): string {
      return 'locating';
    }
    bindTools(): this {
      return this;
    }
    async _generate(messages: readonly { readonly content: unknown; getType(): string }[]): Promise<object> {
      const results = messages.filter((message) => message.getType() === 'tool');
      heard.push(...results.map(({ content }) => content));
      const calls = [{ name: 'locate', args: { near: 'Bern' }, id: 'call_1', type: 'tool_call' }];
      const message = new AIMessage({ content: 'done', tool_calls: results.length === 0 ? calls : [] });
      return { generations: [{ text: '', message }] };
    }
  }
  const locate = tool({ name: 'locate', description: 'locate', schema: z.object({ near: z.string() }) });
  const agent = createAgent({
    model: new (Locating as AnyModule)({}),
    tools: [locate],
    checkpointer: new MemorySaver(),
  });
  const asked = { messages: [{ role: 'user', content: 'Where?' }] };
  const first = await langgraphAdapter.withEnding(agent, [asked, { configurable: { thread_id: 'client' } }]);
  if (first.termination.kind !== 'interaction_pending') throw new Error(first.termination.kind);
  const [request] = first.termination.requests;
  expect(request).toMatchObject({ type: 'client_tool', tool: 'locate', input: { near: 'Bern' } });
  const answers = { [request?.id ?? '']: { decision: 'value', value: 'the clock tower' } } as const;
  const second = await first.run.resume({ answers });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(heard).toEqual(['the clock tower']);
});
