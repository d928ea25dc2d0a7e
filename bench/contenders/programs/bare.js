import { execute, makeModel } from './scene.js';

/** The least that makes the same calls: it asks the model, checks the arguments, calls the tool and keeps the conversation. */
export async function make(load) {
  const { z } = await load('zod');
  const inputSchema = z.object({ n: z.number() });
  return async (calls) => {
    const model = makeModel('v3', calls);
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
    for (;;) {
      const { content } = await model.doGenerate({ prompt: messages });
      messages.push({ role: 'assistant', content });
      const [part] = content;
      if (part.type === 'text') return part.text;
      const value = await execute(inputSchema.parse(JSON.parse(part.input)));
      const { toolCallId, toolName } = part;
      const output = { type: 'json', value };
      messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] });
    }
  };
}
