import type { FullstopError } from '../../../termination/fullstop-error.js';
import { reachableUnits } from '../../graph/reachability.js';
import { type RouteGraph, routeGraph } from '../../graph/route-graph.js';
import type { LoadedDocument } from '../../load/load-document.js';
import type { AgentStep, Step } from '../../schema/document.js';
import type { Environment } from '../environment.js';
import { modelProblem } from './models.js';

/** The first agent, also of sub-workflows, whose model cannot be had: a run would come to its end there. */
export function findModelProblem(loaded: LoadedDocument, environment: Environment): FullstopError | undefined {
  const settings = loaded.document.workflow.runtime;
  for (const step of agentsOf(loaded, new Set())) {
    const model = step.model ?? settings.default_model;
    const problem = modelProblem({ provider: step.provider, model, settings: settings.provider }, environment);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The agents that a run can come to. */
function agentsOf(loaded: LoadedDocument, visited: Set<string>): readonly AgentStep[] {
  if (visited.has(loaded.file)) return [];
  visited.add(loaded.file);
  const graph = routeGraph(loaded.document);
  return [...reachableUnits(graph)].flatMap(stepsIn(graph)).flatMap((step) => {
    if (step.type === 'agent') return [step];
    const child = step.type === 'workflow' ? loaded.child(step.workflow) : undefined;
    return child?.ok === true ? agentsOf(child.loaded, visited) : [];
  });
}

function stepsIn({ units }: RouteGraph): (name: string) => readonly Step[] {
  return (name) => {
    const unit = units.get(name);
    if (unit === undefined) return [];
    if (unit.type === 'step') return [unit.step];
    return unit.type === 'parallel' ? unit.members : [unit.group.agent];
  };
}
