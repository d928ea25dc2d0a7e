import { makeScope, parseStepKey } from 'fullstop/journal';
import type { UnitNode } from '../../journal/unit-tree.js';
import { unitType } from './body-of.js';
import { drawnNodes, type NodeNames } from './node-names.js';
import type { GraphBuilder } from './run-graph.js';

/** Something of a unit with a beginning and an end in the journal. */
interface Part {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly from: number;
  /** Infinity while it has no ending. */
  readonly to: number;
}

/** More different steps than this are no picture any more; they stay in the timeline. */
const mostSteps = 60;

/**
 * Draws what happened in a unit whose plan nobody knows: its units and steps, each after those that had ended when it began. Stages that ran side by side
 * are side by side.
 */
export function drawFlow(builder: GraphBuilder, unit: UnitNode, names: NodeNames): void {
  const inside = names.idOf(unit.path);
  const parent = inside === '' ? {} : { parent: inside };
  const parts = partsOf(unit, names);
  const start = makeScope(inside, drawnNodes.start);
  const end = makeScope(inside, drawnNodes.end);
  builder.node({ id: start, path: inside, name: 'start', label: 'start', type: 'start', ...parent });
  for (const { id, name, type } of parts)
    builder.node({ id, path: type === 'step' ? inside : id, name, label: name, type, ...parent });
  builder.node({ id: end, path: inside, name: 'end', label: 'end', type: 'end', ...parent });
  const last = connect(builder, parts, start);
  const isOver = unit.termination !== undefined && unit.endedAt !== undefined;
  if (isOver) for (const from of last) builder.edge({ id: `${from} > ${end}`, from, to: end, taken: [unit.seq] });
}

/** Connects parts in the order of the journal; returns those after which nothing came. */
function connect(builder: GraphBuilder, parts: readonly Part[], start: string): readonly string[] {
  const events = parts.flatMap((part) => [
    { seq: part.from, part, begins: true },
    { seq: part.to, part, begins: false },
  ]);
  events.sort((left, right) => left.seq - right.seq || Number(right.begins) - Number(left.begins));
  const before = new Map<Part, readonly string[]>();
  let frontier: readonly string[] = [start];
  for (const { part, begins, seq } of events) {
    if (begins) {
      before.set(part, frontier);
      for (const from of frontier) builder.edge({ id: `${from} > ${part.id}`, from, to: part.id, taken: [seq] });
    } else if (Number.isFinite(seq)) {
      const passed = before.get(part) ?? [];
      frontier = [...new Set([...frontier.filter((id) => !passed.includes(id)), part.id])];
    }
  }
  return frontier;
}

function partsOf(unit: UnitNode, names: NodeNames): readonly Part[] {
  const inside = names.idOf(unit.path);
  const units = unit.children.map((child): Part => {
    const id = names.idOf(child.path);
    const to = child.endSeq ?? Number.POSITIVE_INFINITY;
    return { id, name: nameIn(inside, id), type: unitType(child), from: child.seq, to };
  });
  const steps = unit.steps.flatMap((step): readonly Part[] => {
    const workflowStep = parseStepKey(step.key);
    if (step.type !== 'step') return [];
    const id =
      workflowStep === undefined
        ? makeScope(inside, drawnNodes.step(step.key))
        : names.inside(unit.path, workflowStep.unit);
    return [
      { id, name: workflowStep?.unit ?? step.key, type: workflowStep?.type ?? 'step', from: step.seq, to: step.seq },
    ];
  });
  const different = new Set(steps.map(({ id }) => id));
  return different.size > mostSteps ? units : [...units, ...steps];
}

function nameIn(inside: string, id: string): string {
  return inside === '' ? id : id.slice(inside.length + 1);
}
