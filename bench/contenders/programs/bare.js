import { execute, makeModel } from './scene.js';

/** The least that makes the same calls: it asks the model, checks the arguments, calls the tool and keeps the conversation; `stream` reads parts as they come. */
export async function make(load, variant) {
  const { z } = await load('zod');
  const inputSchema = z.object({ n: z.number() });
  const ask = variant === 'stream' ? askStream : (model, prompt) => model.doGenerate({ prompt });
  return async (calls) => {
    const model = makeModel('v3', calls);
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
    for (;;) {
      const { content } = await ask(model, messages);
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

async function askStream(model, prompt) {
  const { stream } = await model.doStream({ prompt });
  const reader = stream.getReader();
  const content = [];
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { content: text === '' ? content : [{ type: 'text', text }] };
    if (value.type === 'text-delta') text += value.delta;
    else if (value.type === 'tool-call') content.push(value);
  }
}
