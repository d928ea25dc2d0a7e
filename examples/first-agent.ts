import { costBudget, describe, loopDetection, matchCategory, maxIterations, runAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// A scripted model, so that this runs without an API key; any AI SDK language model can take its place.
const model = scriptedModel([
  { toolCalls: [{ tool: 'search', input: { query: 'suppliers of steel' } }] },
  { error: { status: 429, retryAfter: '20ms' } },
  { toolCalls: [{ tool: 'search', input: { query: 'prices of steel' } }] },
  { text: 'The three cheapest suppliers are Alder, Birch and Cedar.' },
]);

const search = {
  description: 'Searches the catalogue',
  inputSchema: z.object({ query: z.string() }),
  execute: async ({ query }: { query: string }) => {
    console.log(`searching for ${query}`);
    return { hits: ['Alder', 'Birch', 'Cedar'] };
  },
};

const result = await runAgent({
  model,
  tools: { search },
  prompt: 'Find the three cheapest suppliers',
  stopWhen: [maxIterations(2), costBudget({ usd: 2.5 }), loopDetection()],
  prices: { scripted: { inputPerMillion: 1, outputPerMillion: 2 } },
});
console.log(result.termination);

// result.termination is typed as exactly what this run can end with: nothing else has to be handled.
const final = await matchCategory(result.termination, {
  success: async () => result,
  capacity: async () => result.resume({ stopWhen: [maxIterations(10)] }),
  paused: async () => result,
  retryable: async () => result,
  cancelled: async () => result,
  fatal: async (t) => {
    throw new Error(describe(t));
  },
});
console.log(final.termination, final.text);
