import { openai } from '@ai-sdk/openai';
import { costBudget, describe, loopDetection, matchCategory, maxIterations, runAgent } from 'fullstop';
import { z } from 'zod';
import { offline } from './offline.js';

const search = {
  description: 'Searches the catalogue of suppliers',
  inputSchema: z.object({ query: z.string() }),
  execute: async ({ query }: { query: string }) => `For ${query}: Alder at $410, Birch at $395, Cedar at $430 a ton`,
};

const result = await runAgent({
  model: process.env['OPENAI_API_KEY'] ? openai('gpt-5-mini') : offline,
  tools: { search },
  prompt: 'Which supplier of steel is the cheapest?',
  stopWhen: [maxIterations(20), costBudget({ usd: 0.5 }), loopDetection()],
  // Prices of the usual models are known; this is for the model that stands in for one.
  prices: { scripted: { inputPerMillion: 0.25, outputPerMillion: 2 } },
});

console.log(result.termination.kind, '·', describe(result.termination));
// Six categories, so that nothing is forgotten: leave one out and this does not compile.
const next = matchCategory(result.termination, {
  success: () => result.text,
  capacity: () => `stopped after ${result.iterations.length} iterations: resume with more, or look at the evidence`,
  paused: () => 'a person has to answer first',
  retryable: () => `try again in ${result.retryAfterMs ?? 60_000} ms`,
  cancelled: () => 'nothing to do',
  fatal: () => 'page somebody',
});
console.log(next);
