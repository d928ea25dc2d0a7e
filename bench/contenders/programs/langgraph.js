import { execute, makeScript } from './scene.js';

/** `createReactAgent` of LangGraph, without a checkpointer. */
export async function make(load) {
  const { z } = await load('zod');
  const { createReactAgent } = await load('@langchain/langgraph/prebuilt');
  const { AIMessage } = await load('@langchain/core/messages');
  const { BaseChatModel } = await load('@langchain/core/language_models/chat_models');
  const { tool } = await load('@langchain/core/tools');
  const schema = z.object({ n: z.number() });
  const step = tool(async (args) => JSON.stringify(await execute(args)), {
    name: 'step',
    description: 'Counts',
    schema,
  });
  return async (calls) => {
    const llm = new (modelClass(BaseChatModel, AIMessage, calls))();
    const asked = { messages: [{ role: 'user', content: 'go' }] };
    const { messages } = await createReactAgent({ llm, tools: [step] }).invoke(asked, {
      recursionLimit: 2 * calls + 10,
    });
    return messages.at(-1).content;
  };
}

function modelClass(BaseChatModel, AIMessage, calls) {
  const next = makeScript(calls);
  return class CountingModel extends BaseChatModel {
    constructor() {
      super({ maxRetries: 0 });
    }
    _llmType() {
      return 'counting';
    }
    bindTools() {
      return this;
    }
    async _generate() {
      const call = next();
      const { input = 100, output = 10 } = call ?? {};
      const content = call === undefined ? 'done' : '';
      const message = new AIMessage({
        content,
        tool_calls: call === undefined ? [] : [{ id: call.id, name: call.name, args: call.args, type: 'tool_call' }],
        usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
      });
      return { generations: [{ text: content, message }] };
    }
  };
}
