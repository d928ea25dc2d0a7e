import { openai } from '@ai-sdk/openai';
import { costBudget, describe, loopDetection, matchCategory, maxIterations, runAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// Stands in for a model when there is no key, and is stuck: it asks for the same page whatever it is told.
const stuck = { toolCalls: [{ tool: 'search', input: { query: 'steel' } }] };
const offline = scriptedModel([stuck], { exhausted: 'repeat-last' });

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
  allowUnknownPrices: true, // those of gpt-5-mini are known, the stand-in has none
});

console.log(result.termination.kind, '·', describe(result.termination));
const next = matchCategory(result.termination, {
  success: () => result.text,
  capacity: () => `stopped after ${result.iterations.length} iterations: resume with more, or look at the evidence`,
  paused: () => 'a person has to answer first',
  retryable: () => `try again in ${result.retryAfterMs ?? 60_000} ms`,
  cancelled: () => 'nothing to do',
  fatal: () => 'page somebody',
});
console.log(next);
