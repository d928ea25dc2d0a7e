import { execute } from './scene.js';

/** A workflow of Mastra whose step is repeated while a condition holds, without storage. */
export async function make(load) {
  const { z } = await load('zod');
  const { createStep, createWorkflow } = await load('@mastra/core/workflows');
  const schema = z.object({ n: z.number(), steps: z.number() });
  const count = createStep({
    id: 'count',
    inputSchema: schema,
    outputSchema: schema,
    execute: async ({ inputData: { n, steps } }) => ({ n: (await execute({ n })).next, steps }),
  });
  const workflow = createWorkflow({ id: 'counting', inputSchema: schema, outputSchema: schema })
    .dowhile(count, async ({ inputData: { n, steps } }) => n < steps)
    .commit();
  return async (steps) => {
    const { status, result } = await (await workflow.createRun()).start({ inputData: { n: 0, steps } });
    return status === 'success' && result.n === steps ? 'done' : status;
  };
}
