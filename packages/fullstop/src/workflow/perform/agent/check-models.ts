import { createPrices } from '../../../run/accounts/prices.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { stepsIn } from '../../graph/group-types.js';
import type { LoadedFile } from '../../graph/loaded-file.js';
import { isUnavoidable, reachableUnits } from '../../graph/reachability.js';
import type { Environment } from '../environment.js';
import type { PerformRow } from '../runtime.js';
import { enforcedBudget, pricesOfFile } from './agent-prices.js';
import { modelProblem, pricedName } from './models.js';

interface WantedModel {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** True when every run comes by the step. */
  readonly isCertain: boolean;
}

/**
 * The problem of the first step, also of sub-workflows, whose model is not available: a run would fail there. A missing key
 * counts only where no run can do without it, since a run that ends before that step needs none.
 */
export function findModelProblem(loaded: LoadedFile<PerformRow>, environment: Environment): FullstopError | undefined {
  const settings = loaded.document.workflow.runtime;
  for (const wanted of wantedModels(loaded, new Set())) {
    const model = wanted.model ?? settings.default_model;
    const problem = modelProblem({ provider: wanted.provider, model, settings: settings.provider }, environment);
    if (problem !== undefined && (wanted.isCertain || problem.code !== 'MODEL_KEY_MISSING')) return problem;
  }
  return undefined;
}

/** The problem of the first step whose model has no known price, where a budget must be kept. */
export function findPriceProblem(loaded: LoadedFile<PerformRow>, environment: Environment): FullstopError | undefined {
  const { document } = loaded;
  const costBudget = enforcedBudget({ document, lenient: false });
  if (costBudget === undefined || environment.allowUnknownPrices === true) return undefined;
  const settings = document.workflow.runtime;
  const own = { ...environment.prices, ...pricesOfFile(document) };
  const prices = createPrices(own);
  for (const wanted of wantedModels(loaded, new Set())) {
    const model = wanted.model ?? settings.default_model;
    const name = pricedName({ provider: wanted.provider, model, settings: settings.provider }, environment);
    // The price of the model that was asked for holds for the one that answers in its place.
    if (name === undefined || (model !== undefined && own[model] !== undefined) || prices.priceOf(name) !== undefined)
      continue;
    return new FullstopError(
      'UNKNOWN_PRICE',
      `The file enforces a budget of $${costBudget}, but the price of ${name} is not known. Give one under cost.pricing, or allow unknown prices.`,
    );
  }
  return undefined;
}

/** The models of the steps that a run can reach. */
function wantedModels(loaded: LoadedFile<PerformRow>, visited: Set<string>, isCertain = true): readonly WantedModel[] {
  if (visited.has(loaded.file)) return [];
  visited.add(loaded.file);
  const { graph, steps } = loaded;
  return [...reachableUnits(graph)].flatMap((name) => {
    const unit = graph.units.get(name);
    const certain = isCertain && isUnavoidable(graph, name);
    return (unit === undefined ? [] : stepsIn(unit)).flatMap((step) => {
      const { performer, graph: place } = steps.of(step);
      const wanted = performer.effect === 'unit' ? (performer.wantedModels?.(step) ?? []) : [];
      const file = place.runsFile(step);
      const child = file === undefined ? undefined : loaded.child(file);
      return [
        ...wanted.map((model) => ({ ...model, isCertain: certain })),
        ...(child?.ok === true ? wantedModels(child.loaded, visited, certain) : []),
      ];
    });
  });
}
