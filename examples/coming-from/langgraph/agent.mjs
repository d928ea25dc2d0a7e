import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, createAgent, tool } from 'langchain';
import { z } from 'zod';

const open = tool(async () => 'still loading', { name: 'open', description: 'open', schema: z.object({}) });

class Reader extends BaseChatModel {
  made = 0;
  _llmType() {
    return 'reader';
  }
  bindTools() {
    return this;
  }
  async _generate() {
    const call = { name: 'open', args: {}, id: `c${++this.made}`, type: 'tool_call' };
    return { generations: [{ text: '', message: new AIMessage({ content: '', tool_calls: [call] }) }] };
  }
}

export const makeAgent = () => createAgent({ model: new Reader({}), tools: [open] });
