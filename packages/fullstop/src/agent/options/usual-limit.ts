import type { LanguageModel } from '../../models/language-model.js';
import type { StopCondition } from '../../stop/condition.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import type { Prepared } from './prepare.js';

const usualIterations = 50;

/** The conditions with a limit of iterations: a loop without one may run for ever. */
export function withUsualLimit(conditions: readonly StopCondition<string>[]): readonly StopCondition<string>[] {
  const limited = conditions.some((condition) => condition.toJSON()['type'] === 'maxIterations');
  return limited ? conditions : [...conditions, maxIterations(usualIterations)];
}

/** Refuses a model without a known price inside a unit whose budget must be kept. Answers from a script cost nothing. */
export function requirePriceInside(
  { provider, modelId }: LanguageModel,
  { prices, options }: Prepared,
  costBudget: number | undefined,
): void {
  if (costBudget === undefined || provider === 'scripted') return;
  prices.requirePrice(`${provider}/${modelId}`, { costBudget, allowUnknown: options.allowUnknownPrices ?? false });
}
