import { makeScope } from 'fullstop/journal';
import type { LoadedDocument } from 'fullstop/workflow';
import type { UnitNode } from '../../journal/unit-tree.js';
import { drawAgent } from './agent-graph.js';
import { bodyOf, unitType } from './body-of.js';
import { drawConvergence } from './convergence-graph.js';
import { drawFlow } from './flow-graph.js';
import type { NodeNames } from './node-names.js';
import { GraphBuilder, type RunGraph } from './run-graph.js';
import { drawWorkflow } from './workflow-graph.js';

/** Items of a group beyond these are in the timeline only. */
const mostItems = 100;

/** Draws a run with everything inside it; the page decides what of it is open. */
export function drawRun(root: UnitNode, names: NodeNames, loaded: LoadedDocument | undefined): RunGraph {
  const builder = new GraphBuilder();
  drawUnit({ builder, names }, root, loaded);
  return builder.build();
}

interface Drawing {
  readonly builder: GraphBuilder;
  readonly names: NodeNames;
}

function drawUnit(drawing: Drawing, unit: UnitNode, loaded: LoadedDocument | undefined): void {
  const { builder, names } = drawing;
  const body = bodyOf(unit);
  const isFirstVisit = !builder.has(makeScope(names.idOf(unit.path), '@start'));
  if (!isFirstVisit) return;
  if (body === 'workflow' && loaded !== undefined) drawWorkflow(builder, { unit, loaded, names });
  else if (body === 'agent') drawAgent(builder, unit, names);
  else if (body === 'convergence') drawConvergence(builder, unit, names);
  else drawFlow(builder, unit, names);
  drawChildren(drawing, unit, body === 'workflow' ? loaded : undefined);
}

function drawChildren(drawing: Drawing, unit: UnitNode, loaded: LoadedDocument | undefined): void {
  const { builder, names } = drawing;
  const items = new Map<string, number>();
  // Of several visits the last one says most.
  for (const child of latestVisits(unit, names)) {
    const id = names.idOf(child.path);
    const group = names.groupOf(unit.path, child.name);
    if (group !== undefined && !builder.has(id)) {
      const count = (items.get(group) ?? 0) + 1;
      items.set(group, count);
      if (count > mostItems) continue;
      builder.node({ id, path: id, name: child.name, label: child.name, type: unitType(child), parent: group });
    }
    const hasInside = child.children.length > 0 || child.steps.length > 0 || child.observations.length > 0;
    if (builder.has(id) && hasInside) drawUnit(drawing, child, loaded && childDocument(loaded, child.name));
  }
}

function latestVisits(unit: UnitNode, names: NodeNames): readonly UnitNode[] {
  return [...new Map(unit.children.map((child) => [names.idOf(child.path), child])).values()];
}

/** The file of a sub-workflow, where the step that runs it names one. */
function childDocument(loaded: LoadedDocument, name: string): LoadedDocument | undefined {
  const steps = [...loaded.graph.units.values()].flatMap((unit) => {
    if (unit.type === 'step') return [{ name: unit.name, step: unit.step }];
    if (unit.type === 'for_each') return [{ name: unit.name, step: unit.group.agent }];
    return unit.members.map((step) => ({ name: `${unit.name}.${step.name}`, step }));
  });
  const found = steps.find((each) => name === each.name || name.startsWith(`${each.name}[`));
  if (found === undefined) return undefined;
  const file = loaded.steps.of(found.step).graph.runsFile(found.step);
  const child = file === undefined ? undefined : loaded.child(file);
  return child?.ok === true ? child.loaded : undefined;
}
