import type { LanguageModel } from '../../../models/language-model.js';
import type { ModelPrice } from '../../../run/accounts/price.js';
import type { Program } from '../../machine/program.js';
import type { Pricing } from '../../schema/record-types.js';

/** The prices of the file; the one of the model that was asked for also holds for the model that answers in its place. */
export function agentPrices(
  { document }: Program,
  model: LanguageModel,
  wanted: string | undefined,
): Readonly<Record<string, ModelPrice>> {
  const prices: Record<string, ModelPrice> = {};
  for (const [name, pricing] of document.workflow.cost.pricing) prices[name] = priceOf(pricing);
  const own = wanted === undefined ? undefined : prices[wanted];
  if (own !== undefined) prices[`${model.provider}/${model.modelId}`] = own;
  return prices;
}

function priceOf(pricing: Pricing): ModelPrice {
  const { input_per_mtok: input, output_per_mtok: output, cache_read_per_mtok: cached } = pricing;
  return { inputPerMillion: input, outputPerMillion: output, cachedInputPerMillion: cached };
}
