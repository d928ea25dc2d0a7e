import type { Edge } from '../graph/edge.js';
import { groupTypeOf, namedMembers } from '../graph/group-types.js';
import type { Unit } from '../graph/unit.js';
import type { WorkflowAnalysis } from './analyze-file.js';
import type { Drawing } from './meaning.js';

/** The workflow as a Mermaid flowchart: dashed edges are error routes, dashed boxes are never reached. */
export function drawMermaid(analysis: WorkflowAnalysis): string {
  const { graph } = analysis;
  const ids = new Map([...graph.units.keys()].map((name, index) => [name, `n${index}`]));
  const idOf = (name: string): string => ids.get(name) ?? (name === '$end' ? 'finish' : 'unknown');
  const drawn = unitsToDraw(analysis);
  const drawnNames = new Set(drawn.map(({ name }) => name));
  const shown = graph.edges.filter(({ from }) => drawnNames.has(from));
  const lines = [
    'flowchart TD',
    `  start(( )) --> ${idOf(graph.entry)}`,
    ...drawn.map((unit) => `  ${idOf(unit.name)}${shapeOf(analysis, unit)}`),
    ...(shown.some(({ to }) => to === '$end') ? ['  finish(((end)))'] : []),
    ...shown.map((edge) => `  ${idOf(edge.from)} ${arrowOf(edge)} ${idOf(edge.to)}`),
    '  classDef success stroke:#1a7f37,stroke-width:2px',
    '  classDef failed stroke:#cf222e,stroke-width:2px',
    '  classDef unreachable stroke-dasharray:4 4',
    ...drawn.flatMap((unit) => classOf(analysis, unit).map((name) => `  class ${idOf(unit.name)} ${name}`)),
  ];
  return `${lines.join('\n')}\n`;
}

/** A step that runs only as a member of a group appears in the box of the group. */
function unitsToDraw({ graph }: WorkflowAnalysis): readonly Unit[] {
  const units = [...graph.units.values()];
  const members = namedMembers(units);
  const targets = new Set([graph.entry, ...graph.edges.map(({ to }) => to)]);
  return units.filter(({ name }) => !members.has(name) || targets.has(name));
}

function shapeOf({ drawings }: WorkflowAnalysis, unit: Unit): string {
  if (unit.type !== 'step') return `[["${quoted(groupTypeOf(unit).label(unit))}"]]`;
  const { box, label } = drawings.get(unit.name) ?? { box: 'rectangle', label: unit.name };
  const [open, close] = brackets[box];
  return `${open}"${quoted(label)}"${close}`;
}

/** How Mermaid writes the outline of a box. */
const brackets: Readonly<Record<Drawing['box'], readonly [open: string, close: string]>> = {
  rectangle: ['[', ']'],
  round: ['(', ')'],
  diamond: ['{', '}'],
  slanted: ['[/', '/]'],
  hexagon: ['{{', '}}'],
};

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

function classOf({ drawings, unreachable }: WorkflowAnalysis, { name }: Unit): readonly string[] {
  if (unreachable.includes(name)) return ['unreachable'];
  const look = drawings.get(name)?.look;
  return look === undefined ? [] : [look];
}
