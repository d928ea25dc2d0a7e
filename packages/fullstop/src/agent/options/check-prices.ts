import { limitsOf } from '../../run/changes/changed-conditions.js';
import type { UnitContext } from '../../run/unit/unit-context.js';
import type { StopCondition } from '../../stop/condition.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { knowUnpriced, type UnpricedModel, unpricedIn } from '../tools/unit-tool.js';
import type { Prepared } from './prepare.js';

type Conditions = readonly StopCondition<string>[];

/** Refuses a budget of money that nobody could watch, because the price of a model is not known: of the agent's own, or of an agent that is a tool of it. */
export function checkPrices(agent: object, prepared: Prepared): void {
  knowUnpriced(agent, unpricedModels(prepared));
  refuseUnpriced(agent, prepared, prepared.stopWhen);
}

/** Refuses conditions with a budget of money that nobody could watch. */
export function refuseUnpriced(agent: object, { name, prices, options }: Prepared, stopWhen: Conditions): void {
  const { costUsd: costBudget } = limitsOf(stopWhen);
  const [first] = unpricedIn(agent);
  if (first === undefined || costBudget === undefined || options.allowUnknownPrices === true) return;
  const { model, agent: asking } = first;
  if (asking === name) prices.requirePrice(model, { costBudget });
  throw new FullstopError(
    'UNKNOWN_PRICE',
    `There is a cost budget of $${costBudget}, but no price for ${JSON.stringify(model)}, which the agent ${JSON.stringify(asking)} inside asks. Give that agent one: prices: { ${JSON.stringify(model)}: { inputPerMillion, outputPerMillion } }, or allow unknown prices.`,
  );
}

/** Lets models that are chosen later, inside this agent, be refused where its own budget needs their price. */
export function requirePricesInside(unit: UnitContext, { options, stopWhen }: Prepared): void {
  const { costUsd } = limitsOf(stopWhen);
  if (costUsd !== undefined && options.allowUnknownPrices !== true) unit.requirePrices(costUsd);
}

function unpricedModels({ name, models, tools, prices, options }: Prepared): readonly UnpricedModel[] {
  const own =
    options.allowUnknownPrices === true ? [] : models.map(({ provider, modelId }) => `${provider}/${modelId}`);
  return [
    ...own.filter((model) => prices.priceOf(model) === undefined).map((model) => ({ model, agent: name })),
    ...[...tools.values()].flatMap(({ tool }) => unpricedIn(tool)),
  ];
}
