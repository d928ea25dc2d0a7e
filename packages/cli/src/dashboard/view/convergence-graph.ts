import { makeScope, parseSuggestorKey } from 'fullstop/journal';
import type { UnitNode } from '../../journal/unit-tree.js';
import { drawnNodes, type NodeNames } from './node-names.js';
import type { GraphBuilder } from './run-graph.js';

/** Draws a convergence: the facts, and the suggestors that they wake and that add to them. */
export function drawConvergence(builder: GraphBuilder, unit: UnitNode, names: NodeNames): void {
  const inside = names.idOf(unit.path);
  const parent = inside === '' ? {} : { parent: inside };
  const id = (name: string): string => makeScope(inside, name);
  const [start, facts, end] = [id(drawnNodes.start), id(drawnNodes.facts), id(drawnNodes.end)];
  const shared = { path: inside, ...parent };
  const last = unit.merges.at(-1);
  builder.node({ ...shared, id: start, name: 'input', label: 'input', type: 'start' });
  const label = last === undefined ? 'facts' : `${last.facts} facts · cycle ${last.cycle}`;
  builder.node({ ...shared, id: facts, name: 'facts', label, type: 'facts' });
  builder.edge({ id: `${start} > ${facts}`, from: start, to: facts, taken: [unit.seq] });
  const asked = [
    ...unit.steps.map(({ key, seq }) => ({ key, seq })),
    ...unit.children.map(({ name, seq }) => ({ key: name, seq })),
  ];
  for (const { key, seq } of asked.sort((left, right) => left.seq - right.seq)) {
    const suggestor = parseSuggestorKey(key)?.suggestor;
    if (suggestor === undefined) continue;
    const node = id(drawnNodes.suggestor(suggestor));
    builder.node({ ...shared, id: node, name: suggestor, label: suggestor, type: 'suggestor' });
    builder.edge({ id: `${facts} > ${node}`, from: facts, to: node, label: 'wakes', taken: [seq] });
    builder.edge({ id: `${node} > ${facts}`, from: node, to: facts, label: 'proposes', taken: [seq] });
  }
  builder.node({ ...shared, id: end, name: 'end', label: 'end', type: 'end' });
  const isOver = unit.termination !== undefined && unit.endedAt !== undefined;
  builder.edge({ id: `${facts} > ${end}`, from: facts, to: end, taken: isOver ? [unit.seq] : [] });
}
