import { createPrices, withPlainProvider } from '../../../run/accounts/prices.js';
import type { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { stepsIn } from '../../graph/group-types.js';
import type { LoadedFile } from '../../graph/loaded-file.js';
import { isUnavoidable, reachableUnits } from '../../graph/reachability.js';
import type { Unit } from '../../graph/unit.js';
import { enforcedBudget } from '../../machine/budget-in-force.js';
import type { Environment } from '../environment.js';
import type { PerformRow } from '../runtime.js';
import { pricesOfFile, unknownPrice } from './agent-prices.js';
import { modelProblem, pricedName } from './models.js';

interface WantedModel {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** True when every run comes by the step. */
  readonly isCertain: boolean;
}

/** Where a run is in its file. */
export interface FilePlace {
  /** The unit at hand. */
  readonly at: string;
  /** True when it was done already, and only its routes are left. */
  readonly isDone: boolean;
}

/**
 * The problem of the first step, also of sub-workflows, whose model is not available: a run would fail there. A missing key
 * counts only where no run can do without it, since a run that ends before that step needs none.
 */
export function findModelProblem(loaded: LoadedFile<PerformRow>, environment: Environment): FullstopError | undefined {
  return problemsOf(loaded, environment, wantedModels(loaded, new Set())).find(
    ({ problem, isCertain }) => isCertain || problem.code !== 'MODEL_KEY_MISSING',
  )?.problem;
}

/** The problem of the first step without a key that a run cannot end without, from where it is. */
export function findKeyProblem(
  loaded: LoadedFile<PerformRow>,
  environment: Environment,
  from: FilePlace,
): FullstopError | undefined {
  return problemsOf(loaded, environment, wantedFrom(loaded, from)).find(
    ({ problem, isCertain }) => isCertain && problem.code === 'MODEL_KEY_MISSING',
  )?.problem;
}

interface ModelProblem {
  readonly problem: FullstopError;
  readonly isCertain: boolean;
}

function problemsOf(
  { document }: LoadedFile<PerformRow>,
  environment: Environment,
  wanted: readonly WantedModel[],
): readonly ModelProblem[] {
  const settings = document.workflow.runtime;
  return wanted.flatMap(({ provider, model = settings.default_model, isCertain }) => {
    const problem = modelProblem({ provider, model, settings: settings.provider }, environment);
    return problem === undefined ? [] : [{ problem, isCertain }];
  });
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
    if (name === undefined || prices.priceOf(name) !== undefined) continue;
    // The price of the model that was asked for holds for the one that answers in its place.
    if (model !== undefined && own[model] !== undefined) continue;
    // Which interface of its provider is asked is known at the step: its name there holds as well.
    if (!Object.keys(own).some((key) => withPlainProvider(key) === name)) return unknownPrice(costBudget, name);
  }
  return undefined;
}

/** The models of the steps that a run can reach from where it is. Of a unit that has begun and has parts, some may need none any more. */
function wantedFrom(loaded: LoadedFile<PerformRow>, { at, isDone }: FilePlace): readonly WantedModel[] {
  const { units, edges, from } = loaded.graph;
  const unit = units.get(at);
  if (unit === undefined) return [];
  const isWhole = unit.type === 'step' && loaded.steps.of(unit.step).graph.runsFile(unit.step) === undefined;
  const graph = { entry: at, units, edges, from };
  const own = isDone || !isWhole ? [] : modelsOf(loaded, unit).map((model) => ({ ...model, isCertain: true }));
  const later = [...reachableUnits(graph)].flatMap((name) => {
    const next = name === at ? undefined : units.get(name);
    if (next === undefined || !isUnavoidable(graph, name)) return [];
    return wantedIn(loaded, next, new Set([loaded.file]), true);
  });
  return [...own, ...later];
}

/** The models of the steps that a run can reach. */
function wantedModels(loaded: LoadedFile<PerformRow>, visited: Set<string>, isCertain = true): readonly WantedModel[] {
  if (visited.has(loaded.file)) return [];
  visited.add(loaded.file);
  const { graph } = loaded;
  return [...reachableUnits(graph)].flatMap((name) => {
    const unit = graph.units.get(name);
    return unit === undefined ? [] : wantedIn(loaded, unit, visited, isCertain && isUnavoidable(graph, name));
  });
}

/** The models of a unit, those of its sub-workflows included. */
function wantedIn(
  loaded: LoadedFile<PerformRow>,
  unit: Unit,
  visited: Set<string>,
  isCertain: boolean,
): readonly WantedModel[] {
  const children = stepsIn(unit).flatMap((step) => {
    const file = loaded.steps.of(step).graph.runsFile(step);
    const child = file === undefined ? undefined : loaded.child(file);
    return child?.ok === true ? wantedModels(child.loaded, visited, isCertain) : [];
  });
  return [...modelsOf(loaded, unit).map((model) => ({ ...model, isCertain })), ...children];
}

/** The models that the steps of a unit ask themselves. */
function modelsOf({ steps }: LoadedFile<PerformRow>, unit: Unit): readonly Omit<WantedModel, 'isCertain'>[] {
  return stepsIn(unit).flatMap((step) => {
    const { performer } = steps.of(step);
    return performer.effect === 'unit' ? (performer.wantedModels?.(step) ?? []) : [];
  });
}
