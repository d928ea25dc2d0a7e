import type { LanguageModel } from '../../../models/language-model.js';
import type { ModelPrice } from '../../../run/accounts/price.js';
import { createPrices, withPlainProvider } from '../../../run/accounts/prices.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { enforcedBudget } from '../../machine/budget-in-force.js';
import type { Program } from '../../machine/program.js';
import type { Pricing } from '../../schema/record-types.js';
import type { Runtime } from '../runtime.js';
import type { SharedOptions } from './agent-outcome.js';

/** The prices and secrets for an agent that asks this model. */
export function sharedOptions(
  { environment, provider }: Runtime,
  model: LanguageModel,
  wanted: string | undefined,
): SharedOptions {
  const { secrets } = environment;
  const prices = { ...environment.prices, ...agentPrices(provider, model, wanted) };
  return { prices, ...(secrets !== undefined && { secrets }) };
}

/** Refuses a model without a price where a budget must be kept: it would be spent without anyone knowing. */
export function requirePrice(
  { environment, program, provider }: Runtime,
  model: LanguageModel,
  { prices }: SharedOptions,
): void {
  // Answers from a script cost nothing.
  if (environment.allowUnknownPrices === true || model.provider === 'scripted') return;
  const budget = enforcedBudget(program) ?? enforcedBudget(provider);
  const name = `${model.provider}/${model.modelId}`;
  if (budget !== undefined && createPrices(prices).priceOf(name) === undefined) throw unknownPrice(budget, name);
}

/** The refusal of a model without a price, with the name under which the file may give it one. */
export function unknownPrice(budgetUsd: number, model: string): FullstopError {
  const name = withPlainProvider(model);
  return new FullstopError(
    'UNKNOWN_PRICE',
    `The file enforces a budget of $${budgetUsd}, but the price of ${name} is not known. Give one for ${JSON.stringify(name)} under cost.pricing, or allow unknown prices.`,
  );
}

/** The prices of the file; the one of the model that was asked for also holds for the model that answers in its place. */
function agentPrices(
  { document }: Program,
  model: LanguageModel,
  wanted: string | undefined,
): Readonly<Record<string, ModelPrice>> {
  const prices: Record<string, ModelPrice> = { ...pricesOfFile(document) };
  const own = wanted === undefined ? undefined : prices[wanted];
  if (own !== undefined) prices[`${model.provider}/${model.modelId}`] = own;
  return prices;
}

export function pricesOfFile({ workflow }: Program['document']): Readonly<Record<string, ModelPrice>> {
  return Object.fromEntries([...workflow.cost.pricing].map(([name, pricing]) => [name, priceOf(pricing)]));
}

function priceOf(pricing: Pricing): ModelPrice {
  const { input_per_mtok: input, output_per_mtok: output, cache_read_per_mtok: cached } = pricing;
  return { inputPerMillion: input, outputPerMillion: output, cachedInputPerMillion: cached };
}
