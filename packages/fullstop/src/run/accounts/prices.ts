import { roundUsd } from '../../engines/port/money.js';
import type { Charge } from '../../engines/port/usage.js';
import { byteLength } from '../../termination/codec/measure.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { builtInPrices, builtInPricesAsOf } from './built-in-prices.js';
import type { ModelPrice } from './price.js';

/** A price and where it comes from. */
export interface KnownPrice extends ModelPrice {
  /** The name under which it was found. */
  readonly model: string;
  readonly source: 'own' | 'built-in';
  /** The day of the built-in table; absent for prices of one's own. */
  readonly asOf?: string;
}

/** The tokens of one call to a model. */
export interface TokenCount {
  /** All input, what came from a cache included. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  /** True when the provider reported nothing and the numbers are a guess. */
  readonly estimated?: boolean;
}

/** Says what needs the price of a model, and whether it can do without. */
export interface PriceRequirement {
  /** The limit in US dollars, if there is one. */
  readonly costBudget?: number | undefined;
  /** Continues without a price; then the budget cannot stop this model. */
  readonly allowUnknown?: boolean;
}

/** Knows what models cost. */
export interface ModelPrices {
  /** The price of `provider/model` or `model`; undefined when nobody has given one. */
  priceOf(model: string): KnownPrice | undefined;
  /** The cost of a call. Without a known price the charge has no cost, never 0. */
  charge(model: string, tokens: TokenCount): Charge;
  /** Refuses, before the start, a cost budget for a model whose price is not known. */
  requirePrice(model: string, requirement: PriceRequirement): void;
}

type PriceTable = Readonly<Record<string, ModelPrice>>;

interface Found {
  readonly name: string;
  readonly price: ModelPrice;
}

/** Prices of one's own first, under `provider/model` or just the model's name; then a small built-in table. */
export function createPrices(own: PriceTable = {}): ModelPrices {
  for (const [model, price] of Object.entries(own)) checkPrice(model, price);
  const known = new Map<string, KnownPrice | undefined>();

  const priceOf = (model: string): KnownPrice | undefined => {
    let price = known.get(model);
    if (price === undefined && !known.has(model)) {
      price = findOwn(own, model) ?? findBuiltIn(model);
      known.set(model, price);
    }
    return price;
  };

  return {
    priceOf,
    charge(model, tokens) {
      const price = priceOf(model);
      const { inputTokens, outputTokens, estimated } = tokens;
      // Every call of a model makes one and the journal keeps it, so what is usual is spelled out.
      if (price === undefined && estimated !== true && inputTokens !== undefined && outputTokens !== undefined)
        return { inputTokens, outputTokens };
      const charge: { -readonly [K in keyof Charge]: Charge[K] } = {};
      if (inputTokens !== undefined) charge.inputTokens = inputTokens;
      if (outputTokens !== undefined) charge.outputTokens = outputTokens;
      if (price !== undefined) charge.costUsd = costOf(price, tokens);
      if (estimated === true) charge.estimated = estimated;
      return charge;
    },
    requirePrice(model, { costBudget, allowUnknown = false }) {
      if (costBudget === undefined || allowUnknown || priceOf(model) !== undefined) return;
      throw new FullstopError(
        'UNKNOWN_PRICE',
        `There is a cost budget of $${costBudget}, but no price for ${JSON.stringify(model)}. Give one: prices: { ${JSON.stringify(model)}: { inputPerMillion, outputPerMillion } }, or allow unknown prices.`,
      );
    },
  };
}

/** A guess at the tokens of a text, for calls whose provider reports none: about four bytes each, and never 0. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(byteLength(text) / 4));
}

/** A guess at the tokens of a whole call, flagged as one. */
export function estimateUsage(input: string, output: string): TokenCount & { readonly estimated: true } {
  return { inputTokens: estimateTokens(input), outputTokens: estimateTokens(output), estimated: true };
}

function checkPrice(model: string, price: ModelPrice): void {
  for (const [name, value] of Object.entries(price)) {
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0)) continue;
    throw new FullstopError(
      'INVALID_OPTION',
      `The price of ${JSON.stringify(model)}: ${name} is ${String(value)}; it must be US dollars per million tokens, 0 or more.`,
    );
  }
}

function costOf(price: ModelPrice, { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 }: TokenCount): number {
  const cached = Math.min(cachedInputTokens, inputTokens);
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = price;
  const sum =
    (inputTokens - cached) * inputPerMillion + cached * cachedInputPerMillion + outputTokens * outputPerMillion;
  return roundUsd(sum / 1_000_000);
}

/** A price under the bare name of a model counts at every provider; one of a named provider only there. */
function findOwn(own: PriceTable, model: string): KnownPrice | undefined {
  for (const name of namesOf(model)) {
    const found = findIn(own, name) ?? exactly(own, withoutProvider(name));
    if (found !== undefined) return { ...found.price, model: found.name, source: 'own' };
  }
  return undefined;
}

function findBuiltIn(model: string): KnownPrice | undefined {
  for (const name of namesOf(model)) {
    const found = findIn(builtInPrices, name);
    if (found !== undefined) return { ...found.price, model: found.name, source: 'built-in', asOf: builtInPricesAsOf };
  }
  return undefined;
}

/** A name and the simpler names that mean the same: `openai.chat/gpt-5-2025-08-07` is `openai/gpt-5` too. */
function namesOf(model: string): readonly string[] {
  const plainProvider = withPlainProvider(model);
  const undated = plainProvider.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  return [...new Set([model, plainProvider, undated])];
}

/** A name without the interface of its provider: `openai/gpt-5` for `openai.chat/gpt-5`. */
export function withPlainProvider(model: string): string {
  return model.replace(/^([\w-]+)\.[\w.-]+\//, '$1/');
}

function findIn(table: PriceTable, name: string): Found | undefined {
  return exactly(table, name) ?? (name.includes('/') ? undefined : atItsOnlyProvider(table, name));
}

function exactly(table: PriceTable, name: string): Found | undefined {
  const price = Object.hasOwn(table, name) ? table[name] : undefined;
  return price === undefined ? undefined : { name, price };
}

/** Of two providers of one model nobody can know which is meant. */
function atItsOnlyProvider(table: PriceTable, model: string): Found | undefined {
  const [first, second] = Object.entries(table).filter(([name]) => withoutProvider(name) === model);
  return first === undefined || second !== undefined ? undefined : { name: first[0], price: first[1] };
}

function withoutProvider(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}
