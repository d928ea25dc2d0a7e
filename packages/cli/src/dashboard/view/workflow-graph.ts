import type { JsonObject, JsonValue } from 'fullstop';
import { makeParallelUnit, makeScope, parseStepKey } from 'fullstop/journal';
import type { LoadedDocument } from 'fullstop/workflow';
import { isObject } from '../../journal/is-object.js';
import type { UnitNode } from '../../journal/unit-tree.js';
import { valueText } from '../../journal/value-text.js';
import { drawnNodes, type NodeNames } from './node-names.js';
import type { GraphBuilder, GraphNode } from './run-graph.js';

type DocumentUnit = LoadedDocument['graph']['units'] extends ReadonlyMap<string, infer U> ? U : never;
type DocumentStep = Extract<DocumentUnit, { readonly type: 'step' }>['step'];
type DocumentEdge = LoadedDocument['graph']['edges'][number];

export interface WorkflowPlace {
  /** The unit that the workflow runs in. */
  readonly unit: UnitNode;
  readonly loaded: LoadedDocument;
  readonly names: NodeNames;
}

/** Draws a workflow as its file has it: all steps, also those that were never reached, and all routes with their conditions. */
export function drawWorkflow(builder: GraphBuilder, place: WorkflowPlace): void {
  const { loaded, unit, names } = place;
  const inside = names.idOf(unit.path);
  const parent = inside === '' ? {} : { parent: inside };
  const add = (node: Omit<GraphNode, 'id' | 'parent' | 'path'>, id: string): void =>
    builder.node({ ...node, id, path: inside, ...parent });
  add({ name: 'start', label: 'start', type: 'start' }, makeScope(inside, drawnNodes.start));
  const members = new Set([...loaded.graph.units.values()].flatMap(memberNames));
  const reached = new Set(loaded.graph.edges.map(({ to }) => to));
  for (const each of loaded.graph.units.values()) {
    // A step that only a group runs is drawn inside the group.
    const isOnlyMember = members.has(each.name) && !reached.has(each.name) && loaded.graph.entry !== each.name;
    if (!isOnlyMember) drawUnit(builder, place, each);
  }
  const isEndReached = ({ from, to }: DocumentEdge): boolean => to === '$end' && builder.has(makeScope(inside, from));
  if (loaded.graph.edges.some(isEndReached))
    add({ name: 'end', label: 'end', type: 'end' }, makeScope(inside, drawnNodes.end));
  drawEdges(builder, place);
}

function memberNames(unit: DocumentUnit): readonly string[] {
  return unit.type === 'parallel' ? unit.members.map(({ name }) => name) : [];
}

function drawUnit(builder: GraphBuilder, { unit, names }: WorkflowPlace, each: DocumentUnit): void {
  const inside = names.idOf(unit.path);
  const parent = inside === '' ? {} : { parent: inside };
  const id = makeScope(inside, each.name);
  const shared = { id, path: id, name: each.name, label: each.name, ...parent, ...outputOf(unit, each.name) };
  if (each.type === 'step') {
    builder.node({ ...shared, type: typeOf(each.step), ...terminateOf(unit, each.step) });
    return;
  }
  builder.node({ ...shared, type: each.type, group: progressOf(unit, each) });
  if (each.type === 'for_each') return;
  for (const member of each.members) {
    const name = makeParallelUnit({ group: each.name, name: member.name, occurrence: 1 });
    const path = makeScope(inside, name);
    builder.node({ id: path, path, name: member.name, label: member.name, type: typeOf(member), parent: id });
  }
}

function typeOf(step: DocumentStep): string {
  return step.type ?? 'agent';
}

/** The members that are done, of the latest visit to the group. */
function progressOf(
  unit: UnitNode,
  group: Exclude<DocumentUnit, { readonly type: 'step' }>,
): NonNullable<GraphNode['group']> {
  const { observations } = unit;
  const isOf = (data: JsonObject): boolean => data['step'] === group.name;
  const from = observations.findLastIndex(({ data }) => data['type'] === 'step_started' && isOf(data));
  const since = from < 0 ? [] : observations.slice(from);
  const done = since.filter(({ data }) => isOf(data) && data['type'] === 'member_done');
  const begun = since.find(({ data }) => data['type'] === 'group_started' && isOf(data))?.data;
  const keys = begun?.['keys'];
  const items = Array.isArray(keys) ? keys.length : undefined;
  const total = group.type === 'parallel' ? group.members.length : items;
  return { done: done.length, ...(total !== undefined && { total }) };
}

/** How a step ends its workflow: as it was rendered, or else as the file says. */
function terminateOf(unit: UnitNode, step: DocumentStep): Pick<GraphNode, 'terminate'> {
  if (step.type !== 'terminate') return {};
  const ended = unit.observations.findLast(({ data }) => data['type'] === 'terminated' && data['step'] === step.name);
  if (ended === undefined)
    return { terminate: { status: String(step.status), reason: String(step.reason), rendered: false } };
  const { status, reason } = ended.data;
  return { terminate: { status: String(status), reason: String(reason ?? ''), rendered: true } };
}

/** The output of a step at its last visit, as far as one line can say it. */
function outputOf(unit: UnitNode, name: string): Pick<GraphNode, 'output'> {
  const child = unit.children.findLast((each) => each.name === name);
  const step = unit.steps.findLast(({ key }) => parseStepKey(key, () => true)?.unit === name);
  const value = child?.output ?? step?.value;
  const text = isObject(value) ? value['output'] : undefined;
  return typeof text === 'string' ? { output: valueText(text, 300) } : {};
}

function drawEdges(builder: GraphBuilder, { loaded, unit, names }: WorkflowPlace): void {
  const inside = names.idOf(unit.path);
  const routes = unit.observations.filter(({ data }) => isRoute(data));
  const began = unit.observations.filter(({ data }) => data['type'] === 'workflow_started').map(({ seq }) => seq);
  const start = makeScope(inside, drawnNodes.start);
  builder.edge({ id: `${start} > `, from: start, to: makeScope(inside, loaded.graph.entry), taken: began });
  for (const [from, edges] of loaded.graph.from) {
    for (const [index, edge] of edges.entries()) {
      const taken = routes.filter(({ data }) => data['from'] === from && chosenEdge(edges, data) === edge);
      const values = taken.at(-1)?.data['values'];
      const to = edge.to === '$end' ? drawnNodes.end : edge.to;
      builder.edge({
        id: `${makeScope(inside, from)} > ${index}`,
        from: makeScope(inside, from),
        to: makeScope(inside, to),
        ...(edge.condition !== undefined && { condition: edge.condition, label: edge.condition }),
        taken: taken.map(({ seq }) => seq),
        ...(isObject(values) && { values: values as Readonly<Record<string, JsonValue>> }),
        ...(edge.kind === 'error' && { error: true }),
      });
    }
  }
}

function isRoute({ type }: JsonObject): boolean {
  return type === 'route' || type === 'error_route';
}

/** Routes are recorded by their place in the file; the choice at a gate by where it leads. */
function chosenEdge(edges: readonly DocumentEdge[], { type, to, route }: JsonObject): DocumentEdge | undefined {
  const isError = type === 'error_route';
  const fitting = edges.filter(({ kind }) => (kind === 'error') === isError);
  const byPlace = typeof route === 'number' ? fitting[route] : undefined;
  return byPlace !== undefined && byPlace.to === to ? byPlace : fitting.find((edge) => edge.to === to);
}
