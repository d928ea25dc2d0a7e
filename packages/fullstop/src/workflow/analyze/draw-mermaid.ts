import type { Edge, Unit } from '../graph/route-graph.js';
import type { Analysis } from './analyze-workflow.js';

/** The workflow as a Mermaid flowchart: dashed edges are error routes, dashed boxes are never reached. */
export function drawMermaid(analysis: Analysis): string {
  const { graph, unreachable } = analysis;
  const ids = new Map([...graph.units.keys()].map((name, index) => [name, `n${index}`]));
  const idOf = (name: string): string => ids.get(name) ?? (name === '$end' ? 'finish' : 'unknown');
  const drawn = unitsToDraw(analysis);
  const drawnNames = new Set(drawn.map(({ name }) => name));
  const shown = graph.edges.filter(({ from }) => drawnNames.has(from));
  const lines = [
    'flowchart TD',
    `  start(( )) --> ${idOf(graph.entry)}`,
    ...drawn.map((unit) => `  ${idOf(unit.name)}${shapeOf(unit)}`),
    ...(shown.some(({ to }) => to === '$end') ? ['  finish(((end)))'] : []),
    ...shown.map((edge) => `  ${idOf(edge.from)} ${arrowOf(edge)} ${idOf(edge.to)}`),
    '  classDef success stroke:#1a7f37,stroke-width:2px',
    '  classDef failed stroke:#cf222e,stroke-width:2px',
    '  classDef unreachable stroke-dasharray:4 4',
    ...drawn.flatMap((unit) => classOf(unit, unreachable).map((name) => `  class ${idOf(unit.name)} ${name}`)),
  ];
  return `${lines.join('\n')}\n`;
}

/** A step that runs only as a member of a group appears in the box of the group. */
function unitsToDraw({ graph }: Analysis): readonly Unit[] {
  const units = [...graph.units.values()];
  const members = new Set(units.flatMap((unit) => (unit.type === 'parallel' ? unit.group.agents : [])));
  const targets = new Set([graph.entry, ...graph.edges.map(({ to }) => to)]);
  return units.filter(({ name }) => !members.has(name) || targets.has(name));
}

function shapeOf(unit: Unit): string {
  if (unit.type === 'parallel') return `[["${quoted(`${unit.name}: ${unit.group.agents.join(' ∥ ')}`)}"]]`;
  if (unit.type === 'for_each')
    return `[["${quoted(`${unit.name}: ${unit.group.agent.name} for each ${unit.group.as}`)}"]]`;
  const { step } = unit;
  switch (step.type) {
    case 'terminate':
      return `{{"${quoted(`${step.name}: ${step.status}`)}"}}`;
    case 'human_gate':
    case 'questions':
      return `{"${quoted(step.name)}"}`;
    case 'workflow':
    case 'pipeline':
    case 'convergence':
      return `[/"${quoted(`${step.name}: ${step.type}`)}"/]`;
    case 'agent':
      return `("${quoted(step.name)}")`;
    case 'script':
    case 'set':
    case 'wait':
      return `["${quoted(`${step.name}: ${step.type}`)}"]`;
  }
}

function arrowOf({ kind, condition }: Edge): string {
  const arrow = kind === 'error' ? '-.->' : '-->';
  return condition === undefined ? arrow : `${arrow}|"${quoted(condition)}"|`;
}

const longestLabel = 60;

/** Mermaid ends a label at a quote and reads # and < as markup. */
function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const short = line.length > longestLabel ? `${line.slice(0, longestLabel)}…` : line;
  return short.replace(/[#"<>&`]/g, (mark) => `#${mark.codePointAt(0)};`);
}

function classOf(unit: Unit, unreachable: readonly string[]): readonly string[] {
  if (unreachable.includes(unit.name)) return ['unreachable'];
  if (unit.type !== 'step' || unit.step.type !== 'terminate') return [];
  return unit.step.status === 'success' || unit.step.status === 'failed' ? [unit.step.status] : [];
}
