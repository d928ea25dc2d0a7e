import { withEnding } from 'fullstop/adapters/langgraph';
import { type AnyModule, loadFramework } from '../../tests/adapters/load-framework.js';
import { type Contest, countToolRun, inputSchema, ours } from './contest.js';

/** A handler of LangChain that hears nothing: with it LangChain makes and copies managers of callbacks for every node. */
const deafListener = {
  name: 'deaf',
  ignoreLLM: true,
  ignoreChain: true,
  ignoreAgent: true,
  ignoreRetriever: true,
  ignoreCustomEvent: true,
};

/** LangChain's agent on LangGraph. */
export async function langgraphContest(): Promise<Contest> {
  const { AIMessage, createAgent, tool: define } = await loadFramework('langgraph', 'langchain');
  const { BaseChatModel } = await loadFramework('langgraph', '@langchain/core/language_models/chat_models');
  const agentOf = (count: number) => {
    let made = 0;
    class CountingModel extends BaseChatModel {
      _llmType(): string {
        return 'bench';
      }
      bindTools(): this {
        return this;
      }
      async _generate(): Promise<object> {
        made += 1;
        const call = { name: 'count', args: { n: made }, id: `c${made}`, type: 'tool_call' };
        const message = new AIMessage({
          content: made > count ? 'done' : '',
          tool_calls: made > count ? [] : [call],
          usage_metadata: { input_tokens: 100 + made, output_tokens: 10, total_tokens: 110 + made },
          response_metadata: { finish_reason: made > count ? 'stop' : 'tool_calls', model_name: 'bench/bench' },
        });
        return { generations: [{ text: '', message }] };
      }
    }
    const execute = async ({ n }: { readonly n: number }) => {
      countToolRun();
      return `next ${n}`;
    };
    const tools = [define(execute, { name: 'count', description: 'counts', schema: inputSchema })];
    return createAgent({ model: new (CountingModel as AnyModule)({}), tools });
  };
  const asked = { messages: [{ role: 'user', content: 'go' }] };
  const config = (count: number) => ({ recursionLimit: count * 4 });
  return {
    name: 'LangChain createAgent',
    bare: (count) => agentOf(count).invoke(asked, config(count)),
    plain: (count) => withEnding(agentOf(count), [asked, config(count)]),
    ended: (count) => withEnding(agentOf(count), [asked, config(count)], ours),
    heard: {
      label: 'a deaf listener',
      call: (count) => agentOf(count).invoke(asked, { ...config(count), callbacks: [deafListener] }),
    },
  };
}
