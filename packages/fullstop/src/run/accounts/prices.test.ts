import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FullstopError } from '../../termination/errors/fullstop-error.js';
import { builtInPrices, builtInPricesAsOf } from './built-in-prices.js';
import { createPrices, estimateTokens, estimateUsage } from './prices.js';

describe('priceOf', () => {
  const prices = createPrices({
    'gpt-5': { inputPerMillion: 9, outputPerMillion: 90 },
    'azure/gpt-4o': { inputPerMillion: 3, outputPerMillion: 12 },
  });

  it('takes prices of one’s own before the built-in ones', () => {
    expect(prices.priceOf('openai/gpt-5')).toEqual({
      inputPerMillion: 9,
      outputPerMillion: 90,
      model: 'gpt-5',
      source: 'own',
    });
    expect(prices.priceOf('gpt-5')?.source).toBe('own');
  });

  it('dates what comes from the built-in table', () => {
    expect(prices.priceOf('openai/gpt-5-mini')).toMatchObject({ source: 'built-in', asOf: builtInPricesAsOf });
    expect(builtInPricesAsOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it('does not take the price of another provider', () => {
    expect(prices.priceOf('azure/gpt-4o')?.inputPerMillion).toBe(3);
    expect(prices.priceOf('openai/gpt-4o')?.source).toBe('built-in');
    expect(prices.priceOf('elsewhere/gpt-4o')).toBeUndefined();
  });

  it('finds a bare name at its only provider', () => {
    expect(prices.priceOf('claude-sonnet-4-5')?.model).toBe('anthropic/claude-sonnet-4-5');
    const two = createPrices({
      'a/own': { inputPerMillion: 1, outputPerMillion: 1 },
      'b/own': { inputPerMillion: 2, outputPerMillion: 2 },
    });
    expect(two.priceOf('own')).toBeUndefined();
  });

  it('knows dated snapshots and the provider names of the AI SDK', () => {
    expect(prices.priceOf('openai.responses/gpt-5-nano-2025-08-07')?.model).toBe('openai/gpt-5-nano');
    expect(prices.priceOf('anthropic.messages/claude-haiku-4-5-20251001')?.model).toBe('anthropic/claude-haiku-4-5');
  });

  it('knows nothing of names that objects have by themselves', () => {
    expect(prices.priceOf('constructor')).toBeUndefined();
    expect(prices.priceOf('no/such-model')).toBeUndefined();
  });

  it('refuses a price that is no number', () => {
    expect(() => createPrices({ x: { inputPerMillion: -1, outputPerMillion: 1 } })).toThrow(/inputPerMillion is -1/);
    expect(() => createPrices({ x: { inputPerMillion: 1, outputPerMillion: Number.NaN } })).toThrow(
      /outputPerMillion is NaN/,
    );
  });
});

describe('charge', () => {
  const prices = createPrices({ own: { inputPerMillion: 2, outputPerMillion: 10, cachedInputPerMillion: 0.5 } });

  it('adds input, cached input and output', () => {
    const charge = prices.charge('own', { inputTokens: 1_000_000, outputTokens: 100_000, cachedInputTokens: 400_000 });
    expect(charge).toEqual({ inputTokens: 1_000_000, outputTokens: 100_000, costUsd: 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10 });
  });

  it('leaves the cost out when the price is not known, instead of 0', () => {
    expect(prices.charge('unheard-of', { inputTokens: 5, outputTokens: 5 })).toEqual({
      inputTokens: 5,
      outputTokens: 5,
    });
  });

  it('passes the flag of an estimate on', () => {
    expect(prices.charge('own', estimateUsage('hello', 'you')).estimated).toBe(true);
    expect(prices.charge('own', { inputTokens: 1 })).not.toHaveProperty('estimated');
  });

  it('never costs less for more tokens', () => {
    const count = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(count, count, count, count, (input, output, cached, more) => {
        const cost =
          prices.charge('own', { inputTokens: input, outputTokens: output, cachedInputTokens: cached }).costUsd ??
          Number.NaN;
        const larger =
          prices.charge('own', { inputTokens: input + more, outputTokens: output, cachedInputTokens: cached })
            .costUsd ?? Number.NaN;
        return larger >= cost - 1e-9 && cost >= 0;
      }),
    );
  });
});

describe('requirePrice', () => {
  const prices = createPrices();

  it('refuses a cost budget for a model without a price', () => {
    expect(() => prices.requirePrice('local/llama', { costBudget: 2 })).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_PRICE',
        message: expect.stringContaining('"local/llama"') as string,
      }) as FullstopError,
    );
  });

  it('has nothing against it without a budget, with a price, or when it is allowed', () => {
    prices.requirePrice('local/llama', {});
    prices.requirePrice('openai/gpt-5', { costBudget: 2 });
    prices.requirePrice('local/llama', { costBudget: 2, allowUnknown: true });
  });
});

describe('estimateTokens', () => {
  it('is never 0', () => {
    expect(estimateTokens('')).toBe(1);
    expect(estimateTokens('abcdefgh')).toBe(2);
    expect(estimateTokens('日本語')).toBe(3);
  });
});

it('the built-in table holds sane prices only', () => {
  for (const [model, price] of Object.entries(builtInPrices)) {
    expect(model).toMatch(/^[a-z]+\/[a-z0-9.-]+$/);
    expect(price.outputPerMillion).toBeGreaterThan(price.inputPerMillion);
    expect(price.inputPerMillion).toBeGreaterThan(price.cachedInputPerMillion ?? 0);
  }
});
