import type { WorkflowAnalysis } from 'fullstop/workflow';
import { fitted, widthOf } from '../terminal/wrap.js';
import { layOut, type PlacedNode } from './graph-layout.js';

const box = { width: 168, height: 44, gapX: 36, gapY: 56, margin: 32 };
const captionHeight = 18;

type Edge = WorkflowAnalysis['graph']['edges'][number];

/** A workflow as a picture: steps from top to bottom, routes with their conditions, and below them every way it can end. */
export function graphSvg(analysis: WorkflowAnalysis): string {
  const { graph, endings, unreachable, name } = analysis;
  const names = [...graph.units.keys()].filter(
    (unit) => !unreachable.includes(unit) || graph.edges.some(({ from }) => from === unit),
  );
  const hasEnd = graph.edges.some(({ to }) => to === '$end');
  const nodes = layOut(hasEnd ? [...names, '$end'] : names, graph.edges, graph.entry);
  const places = new Map(nodes.map((node) => [node.name, node]));
  const columns = Math.max(...nodes.map(({ place }) => place)) + 1;
  const rows = Math.max(...nodes.map(({ rank }) => rank)) + 1;
  const width = Math.max(columns * (box.width + box.gapX) + box.margin * 2, 520);
  const drawing = rows * (box.height + box.gapY) + box.margin;
  const height = drawing + (endings.length + 1) * captionHeight + box.margin;
  const lines = endings.map(({ kind, status, steps }, index) => {
    const where = steps.length === 0 ? 'at any time' : `at ${steps.join(', ')}`;
    return `<text x="${box.margin}" y="${drawing + (index + 1) * captionHeight}">${escaped(`${kind}${status === undefined ? '' : ` (${status})`} ${where}`)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`The workflow ${name}`)}">
<style>text{font:13px system-ui,sans-serif;fill:#24292f}.type,.condition{font-size:10px;fill:#57606a}rect{fill:#fff;stroke:#57606a;rx:6}.success rect{stroke:#1a7f37;stroke-width:2}.failed rect{stroke:#cf222e;stroke-width:2}.unreachable rect{stroke-dasharray:4}path{fill:none;stroke:#57606a}.error{stroke:#cf222e;stroke-dasharray:4}</style>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#57606a"/></marker></defs>
<rect width="${width}" height="${height}" style="stroke:none;rx:0"/>
${graph.edges.map((edge) => edgePath(edge, places)).join('\n')}
${nodes.map((node) => nodeBox(node, lookOf(analysis, node.name), unreachable.includes(node.name))).join('\n')}
<text x="${box.margin}" y="${drawing}" style="font-weight:600">Ways to end</text>
${lines.join('\n')}
</svg>
`;
}

function corner({ rank, place }: PlacedNode): { readonly x: number; readonly y: number } {
  return { x: box.margin + place * (box.width + box.gapX), y: box.margin + rank * (box.height + box.gapY) };
}

function nodeBox(node: PlacedNode, { type, look }: NodeLook, isUnreachable: boolean): string {
  const { x, y } = corner(node);
  const title = node.name === '$end' ? 'end' : fitted(node.name, 22);
  return `<g class="${isUnreachable ? 'unreachable' : look}"><rect x="${x}" y="${y}" width="${box.width}" height="${box.height}"/><text x="${x + box.width / 2}" y="${y + 19}" text-anchor="middle">${escaped(title)}</text><text class="type" x="${x + box.width / 2}" y="${y + 34}" text-anchor="middle">${escaped(type)}</text></g>`;
}

interface NodeLook {
  readonly type: string;
  readonly look: string;
}

/** The look of a step is up to its type. */
function lookOf({ graph, drawings }: WorkflowAnalysis, name: string): NodeLook {
  const unit = graph.units.get(name);
  if (unit === undefined) return { type: 'flow_completed', look: 'success' };
  if (unit.type !== 'step') return { type: unit.type, look: 'step' };
  const { caption = unit.step.type, look = 'step' } = drawings.get(name) ?? {};
  return { type: caption, look };
}

function edgePath({ from, to, kind, condition }: Edge, places: ReadonlyMap<string, PlacedNode>): string {
  const [start, end] = [places.get(from), places.get(to)];
  if (start === undefined || end === undefined) return '';
  const [a, b] = [corner(start), corner(end)];
  const [x1, y1, x2, y2] = [a.x + box.width / 2, a.y + box.height, b.x + box.width / 2, b.y];
  const isBack = end.rank <= start.rank;
  const side = Math.max(a.x, b.x) + box.width + box.gapX / 2;
  const path = isBack
    ? `M${a.x + box.width} ${a.y + box.height / 2}C${side} ${a.y + box.height / 2} ${side} ${b.y + box.height / 2} ${b.x + box.width} ${b.y + box.height / 2}`
    : `M${x1} ${y1}C${x1} ${y1 + box.gapY / 2} ${x2} ${y2 - box.gapY / 2} ${x2} ${y2}`;
  const label =
    condition === undefined
      ? ''
      : `<text class="condition" x="${isBack ? side : (x1 + x2) / 2}" y="${(y1 + y2) / 2}" text-anchor="middle">${escaped(fitted(condition, 34))}</text>`;
  return `<path class="${kind}" d="${path}" marker-end="url(#arrow)"/>${widthOf(label) === 0 ? '' : label}`;
}

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
