import { runAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

const planner = scriptedModel([{ toolCalls: [{ tool: 'search', input: { query: 'steel' } }] }], { modelId: 'planner' });
const small = scriptedModel([{ text: 'Alder is the cheapest.' }], { modelId: 'small' });

const result = await runAgent({
  model: small,
  tools: { search: { inputSchema: z.object({ query: z.string() }), execute: ({ query }) => `${query}: Alder, Birch` } },
  prompt: 'Who sells the cheapest steel?',
  // Asked before each call of a model; the journal keeps the answer, so that no replay asks again.
  prepareStep: ({ iteration }) => (iteration === 1 ? { model: planner } : { activeTools: [] }),
});
for (const { iteration, prepared } of result.iterations) console.log(iteration, prepared);
console.log(result.termination, result.text);
