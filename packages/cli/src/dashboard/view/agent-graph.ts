import { isModelKey, makeScope, parseCallKey } from 'fullstop/journal';
import type { UnitNode } from '../../journal/unit-tree.js';
import { unitType } from './body-of.js';
import { drawnNodes, type NodeNames } from './node-names.js';
import type { GraphBuilder } from './run-graph.js';

/** Draws the loop of an agent: the model, the tools that it called, and the units that they opened. */
export function drawAgent(builder: GraphBuilder, unit: UnitNode, names: NodeNames): void {
  const inside = names.idOf(unit.path);
  const parent = inside === '' ? {} : { parent: inside };
  const id = (name: string): string => makeScope(inside, name);
  const [start, model, end] = [id(drawnNodes.start), id(drawnNodes.model), id(drawnNodes.end)];
  const shared = { path: inside, ...parent };
  builder.node({ ...shared, id: start, name: 'start', label: 'start', type: 'start' });
  builder.node({ ...shared, id: model, name: 'model', label: 'model', type: 'model' });
  const models = unit.steps.filter(({ key }) => isModelKey(key));
  builder.edge({ id: `${start} > ${model}`, from: start, to: model, taken: models.slice(0, 1).map(({ seq }) => seq) });
  for (const [tool, seqs] of callsByTool(unit)) {
    const node = id(drawnNodes.tool(tool));
    builder.node({ ...shared, id: node, name: tool, label: tool, type: 'tool' });
    builder.edge({ id: `${model} > ${node}`, from: model, to: node, taken: seqs });
  }
  for (const child of unit.children) drawChild(builder, { child, names, inside, model });
  builder.node({ ...shared, id: end, name: 'end', label: 'end', type: 'end' });
  const isOver = unit.termination !== undefined && unit.endedAt !== undefined;
  builder.edge({
    id: `${model} > ${end}`,
    from: model,
    to: end,
    taken: isOver ? [models.at(-1)?.seq ?? unit.seq] : [],
  });
}

/** A sub-agent hangs below the tool that it is, or else below the model. */
function drawChild(
  builder: GraphBuilder,
  {
    child,
    names,
    inside,
    model,
  }: { readonly child: UnitNode; readonly names: NodeNames; readonly inside: string; readonly model: string },
): void {
  const node = names.idOf(child.path);
  const parent = inside === '' ? {} : { parent: inside };
  const tool = makeScope(inside, drawnNodes.tool(child.name.split(':')[0] ?? ''));
  builder.node({ id: node, path: node, name: child.name, label: child.name, type: unitType(child), ...parent });
  const from = builder.has(tool) ? tool : model;
  builder.edge({ id: `${from} > ${node}`, from, to: node, taken: [child.seq] });
}

function callsByTool(unit: UnitNode): ReadonlyMap<string, readonly number[]> {
  const calls = new Map<string, number[]>();
  for (const { key, seq } of unit.steps) {
    const call = parseCallKey(key);
    if (call?.effect !== 'tool' && call?.effect !== 'call') continue;
    const known = calls.get(call.tool);
    if (known === undefined) calls.set(call.tool, [seq]);
    else known.push(seq);
  }
  return calls;
}
