import { openai } from '@ai-sdk/openai';
import { costBudget, defineAgent, type LanguageModel, loopDetection, maxIterations } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

/** Stands for your catalogue. */
const prices: Readonly<Record<string, number>> = { alder: 410, birch: 395, cedar: 430 };

const findPrice = {
  description: 'Finds what a supplier asks for a ton of steel, in dollars',
  inputSchema: z.object({ supplier: z.string() }),
  execute: async ({ supplier }: { supplier: string }) => prices[supplier.toLowerCase()] ?? `There is no ${supplier}.`,
};

/** The agent, with the model of your choice: tests give it one that follows a script. */
export function defineBuyer(model: LanguageModel) {
  return defineAgent({
    name: 'buyer',
    model,
    instructions: 'You compare suppliers of steel: Alder, Birch and Cedar.',
    tools: { find_price: findPrice },
    stopWhen: [maxIterations(20), costBudget({ usd: 0.5 }), loopDetection()],
    // Prices of the usual models are known; this is for the model that needs no key.
    prices: { scripted: { inputPerMillion: 0.25, outputPerMillion: 2 } },
  });
}

/** A model of OpenAI when there is a key for it, else one that needs none. */
export function chooseModel(): LanguageModel {
  return process.env['OPENAI_API_KEY'] ? openai('gpt-5-mini') : offlineModel();
}

function offlineModel(): LanguageModel {
  const suppliers = ['Alder', 'Birch', 'Cedar'];
  return scriptedModel([
    ...suppliers.map((supplier) => ({ toolCalls: [{ tool: 'find_price', input: { supplier } }] })),
    { text: 'Birch is the cheapest, at $395 a ton.' },
  ]);
}
