import { costBudget, describe, loopDetection, matchCategory, maxIterations, runAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// Answers from a script, so that this runs without a key; any AI SDK language model goes in its place.
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
    console.log(`searches for ${query}`);
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

// The type of result.termination is what this very run can end with: nothing else has to be handled.
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
