import type { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { stepsIn } from '../../graph/group-types.js';
import type { LoadedFile } from '../../graph/loaded-file.js';
import { reachableUnits } from '../../graph/reachability.js';
import type { Environment } from '../environment.js';
import type { PerformRow } from '../runtime.js';
import { modelProblem } from './models.js';

interface WantedModel {
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** The problem of the first step, also of sub-workflows, whose model is not available: a run would fail there. */
export function findModelProblem(loaded: LoadedFile<PerformRow>, environment: Environment): FullstopError | undefined {
  const settings = loaded.document.workflow.runtime;
  for (const wanted of wantedModels(loaded, new Set())) {
    const model = wanted.model ?? settings.default_model;
    const problem = modelProblem({ provider: wanted.provider, model, settings: settings.provider }, environment);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The models of the steps that a run can reach. */
function wantedModels(loaded: LoadedFile<PerformRow>, visited: Set<string>): readonly WantedModel[] {
  if (visited.has(loaded.file)) return [];
  visited.add(loaded.file);
  const { graph, steps } = loaded;
  const reached = [...reachableUnits(graph)].flatMap((name) => {
    const unit = graph.units.get(name);
    return unit === undefined ? [] : stepsIn(unit);
  });
  return reached.flatMap((step) => {
    const { performer, graph: place } = steps.of(step);
    const wanted = performer.effect === 'unit' ? performer.wantedModel?.(step) : undefined;
    const file = place.runsFile(step);
    const child = file === undefined ? undefined : loaded.child(file);
    return [
      ...(wanted === undefined ? [] : [wanted]),
      ...(child?.ok === true ? wantedModels(child.loaded, visited) : []),
    ];
  });
}
