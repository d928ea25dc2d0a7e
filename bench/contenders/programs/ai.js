import { execute, makeModel } from './scene.js';

/** `generateText` or `streamText` of the AI SDK. */
export async function make(load, variant) {
  const { z } = await load('zod');
  const { generateText, isStepCount, stepCountIs, streamText, tool } = await load('ai');
  const limit = isStepCount ?? stepCountIs;
  const version = isStepCount === undefined ? 'v3' : 'v4';
  const step = tool({ description: 'Counts', inputSchema: z.object({ n: z.number() }), execute });
  return async (calls) => {
    const options = { model: makeModel(version, calls), tools: { step }, prompt: 'go', stopWhen: limit(calls + 2) };
    if (variant !== 'stream') return (await generateText(options)).text;
    let text = '';
    for await (const delta of streamText(options).textStream) text += delta;
    return text;
  };
}
