import { execute, makeModel } from './scene.js';

/** `generate` of an agent of Mastra, without storage. */
export async function make(load) {
  const { z } = await load('zod');
  const { Agent } = await load('@mastra/core/agent');
  const { createTool } = await load('@mastra/core/tools');
  const step = createTool({ id: 'step', description: 'Counts', inputSchema: z.object({ n: z.number() }), execute });
  return async (calls) => {
    const model = makeModel('v3', calls);
    const agent = new Agent({ id: 'counter', name: 'counter', instructions: 'Count.', model, tools: { step } });
    return (await agent.generate('go', { maxSteps: calls + 2 })).text;
  };
}
