import { expect, test } from 'vitest';
import { z } from 'zod';
import * as langgraphAdapter from '../../packages/fullstop/src/adapters/langgraph/index.js';
import * as openaiAdapter from '../../packages/fullstop/src/adapters/openai-agents/index.js';
import { type AnyModule, loadFramework } from './load-framework.js';

const usage = { requests: 1, inputTokens: 40, outputTokens: 10, totalTokens: 50 };
const details = { inputTokensDetails: [], outputTokensDetails: [] };

/** A model of the OpenAI Agents SDK that asks for one tool so often, and then answers. */
function calling(name: string, times: number): object {
  let asked = 0;
  return {
    getResponse: async () => {
      asked += 1;
      const call = { type: 'function_call', callId: `c${asked}`, name, status: 'completed', arguments: '{}' };
      const content = [{ type: 'output_text', text: 'done' }];
      const said = { type: 'message', role: 'assistant', status: 'completed', content };
      return { usage: { ...usage, ...details }, output: [asked > times ? said : call] };
    },
  };
}

test('OpenAI Agents: an agent inside a tool has an ending of its own, beside that of the run around it', async () => {
  const { Agent, run, setTracingDisabled, tool } = await loadFramework('openai-agents', '@openai/agents');
  setTracingDisabled(true);
  const parameters = z.object({});
  const look = tool({ name: 'look', description: 'look', parameters, execute: async () => 'nothing' });
  const inner = new Agent({ name: 'inner', model: calling('look', 99), tools: [look] });
  const endings: object[] = [];
  const execute = async (): Promise<string> => {
    const { termination } = await openaiAdapter.withEnding(run, [inner, 'look', { maxTurns: 2 }]);
    endings.push(termination);
    return termination.kind;
  };
  const ask = tool({ name: 'ask', description: 'ask', parameters, execute });
  const outer = new Agent({ name: 'outer', model: calling('ask', 1), tools: [ask] });
  const { termination } = await openaiAdapter.withEnding(run, [outer, 'go']);
  expect(endings).toEqual([{ kind: 'max_iterations', limit: 2, used: 2, unit: 'turn' }]);
  expect(termination).toEqual({ kind: 'natural_end' });
});

test('LangChain: the same, and the steps of the inner agent are not those of the outer one', async () => {
  const { AIMessage, createAgent, tool } = await loadFramework('langgraph', 'langchain');
  const { BaseChatModel } = await loadFramework('langgraph', '@langchain/core/language_models/chat_models');
  const modelOf = (name: string, times: number): AnyModule => {
    let asked = 0;
    class CallingModel extends BaseChatModel {
      _llmType(): string {
        return 'calling';
      }
      bindTools(): this {
        return this;
      }
      async _generate(): Promise<object> {
        asked += 1;
        const calls = asked > times ? [] : [{ name, args: {}, id: `c${asked}`, type: 'tool_call' }];
        const usage_metadata = { input_tokens: 40, output_tokens: 10, total_tokens: 50 };
        const message = new AIMessage({ content: asked > times ? 'done' : '', tool_calls: calls, usage_metadata });
        return { generations: [{ text: '', message }] };
      }
    }
    return new (CallingModel as AnyModule)({});
  };
  const asked = { messages: [{ role: 'user', content: 'go' }] };
  const schema = z.object({});
  const look = tool(async () => 'nothing', { name: 'look', description: 'look', schema });
  const inner = createAgent({ model: modelOf('look', 99), tools: [look] });
  const endings: object[] = [];
  const askInner = async (): Promise<string> => {
    const ended = await langgraphAdapter.withEnding(inner, [asked, { recursionLimit: 4, callbacks: [] }]);
    endings.push(ended.termination);
    return ended.termination.kind;
  };
  const ask = tool(askInner, { name: 'ask', description: 'ask', schema });
  const outer = createAgent({ model: modelOf('ask', 1), tools: [ask] });
  const { termination, run } = await langgraphAdapter.withEnding(outer, [asked]);
  expect(endings).toEqual([{ kind: 'max_iterations', limit: 4, used: 4, unit: 'step' }]);
  expect(termination).toMatchObject({ kind: 'natural_end' });
  expect(run.usage).toMatchObject({ inputTokens: 80 });
});
