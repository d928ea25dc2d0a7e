import { suggestion } from '../../termination/text/suggestion.js';
import type { DocumentPath } from '../source/problem.js';
import { entryOf, type MapNode, type TextNode, type YamlNode } from '../source/yaml-node.js';
import type { SchemaSpot } from './read-scalar.js';
import { knowsNames } from './readable-part.js';

interface Unit {
  readonly node: MapNode;
  readonly path: DocumentPath;
}

interface Names {
  readonly report: SchemaSpot['report'];
  readonly types: SchemaSpot['steps'];
  readonly steps: readonly Unit[];
  readonly parallel: readonly Unit[];
  readonly forEach: readonly Unit[];
  readonly all: readonly string[];
  readonly known: ReadonlySet<string>;
}

/** The names that a file must get right to be loaded at all; works on the bare tree, so that it also speaks when keys are wrong. */
export function checkNames(root: MapNode, { report, steps: types }: SchemaSpot): void {
  const steps = unitsOf(root, 'agents');
  const parallel = unitsOf(root, 'parallel');
  const forEach = unitsOf(root, 'for_each');
  const all = [...steps, ...parallel, ...forEach].flatMap(({ node }) => textOf(node, 'name')?.text ?? []);
  const names: Names = { steps, parallel, forEach, all, known: new Set(all), report, types };
  // A step whose name cannot be read may be the one that is meant.
  const isKnown = knowsNames(root);
  if (isKnown) checkEntryPoint(names, root);
  for (const unit of isKnown ? [...steps, ...parallel, ...forEach] : []) checkRoutes(names, unit);
  for (const group of parallel) checkMembers(names, group, isKnown);
  for (const group of forEach) checkInlineStep(names, group);
}

function unitsOf(root: MapNode, key: string): Unit[] {
  const list = entryOf(root, key)?.value;
  if (list?.kind !== 'list') return [];
  return list.items.flatMap((node, index) => (node.kind === 'map' ? [{ node, path: [key, index] }] : []));
}

function textOf(node: MapNode, key: string): TextNode | undefined {
  const value = entryOf(node, key)?.value;
  return value?.kind === 'string' ? value : undefined;
}

function itemsOf(node: MapNode, key: string): readonly YamlNode[] {
  const value = entryOf(node, key)?.value;
  return value?.kind === 'list' ? value.items : [];
}

function checkEntryPoint(names: Names, root: MapNode): void {
  const settings = entryOf(root, 'workflow')?.value;
  const entry = settings?.kind === 'map' ? textOf(settings, 'entry_point') : undefined;
  if (entry === undefined || names.known.has(entry.text)) return;
  const message = `entry_point '${entry.text}' not found in agents, parallel groups, or for-each groups${suggestion(entry.text, names.all)}`;
  names.report.error({
    code: 'UNKNOWN_STEP',
    message,
    at: entry.at,
    path: ['workflow', 'entry_point'],
    text: entry.text,
  });
}

function checkRoutes(names: Names, { node, path }: Unit): void {
  for (const key of ['routes', 'on_error']) {
    for (const [index, route] of itemsOf(node, key).entries()) {
      const target = route.kind === 'map' ? textOf(route, 'to') : undefined;
      if (target === undefined || target.text === '$end' || names.known.has(target.text)) continue;
      if (target.text.trim() === '') continue;
      const message = `This routes to unknown agent, parallel group, or for-each group '${target.text}'${suggestion(target.text, [...names.all, '$end'])}`;
      names.report.error({
        code: 'UNKNOWN_STEP',
        message,
        at: target.at,
        path: [...path, key, index, 'to'],
        text: target.text,
      });
    }
  }
}

function checkMembers(names: Names, { node, path }: Unit, isKnown: boolean): void {
  const stepNames = names.steps.flatMap((step) => textOf(step.node, 'name')?.text ?? []);
  for (const [index, member] of itemsOf(node, 'agents').entries()) {
    if (member.kind !== 'string') continue;
    const step = names.steps.find((candidate) => textOf(candidate.node, 'name')?.text === member.text);
    const at = { at: member.at, path: [...path, 'agents', index], text: member.text };
    if (step === undefined) {
      if (!isKnown) continue;
      const message = `The group references unknown agent '${member.text}'${suggestion(member.text, stepNames)}`;
      names.report.error({ code: 'UNKNOWN_STEP', message, ...at });
    } else if (endingType(names, step.node) !== undefined) {
      const message = `The member '${member.text}' is a ${endingType(names, step.node)} step, which cannot be in a parallel group`;
      names.report.error({ code: 'TERMINATE_IN_GROUP', message, hint: 'Route to it from the group', ...at });
    }
  }
}

function checkInlineStep(names: Names, { node, path }: Unit): void {
  const step = entryOf(node, 'agent')?.value;
  if (step?.kind !== 'map') return;
  const name = textOf(step, 'name');
  const isGroup = names.forEach.some((group) => textOf(group.node, 'name')?.text === name?.text);
  if (name !== undefined && isGroup) {
    const message = `Nested for-each groups are not allowed: '${name.text}' is the name of a group`;
    names.report.error({
      code: 'DUPLICATE_NAME',
      message,
      at: name.at,
      path: [...path, 'agent', 'name'],
      text: name.text,
    });
  }
  const type = endingType(names, step);
  if (type !== undefined) {
    const message = `A for_each group uses a ${type} step, which cannot be inside a group`;
    const at = entryOf(step, 'type')?.value.at ?? step.at;
    names.report.error({
      code: 'TERMINATE_IN_GROUP',
      message,
      hint: 'Route to it from the group',
      at,
      path: [...path, 'agent', 'type'],
    });
  }
}

/** The type of a step that ends the workflow; undefined for any other. */
function endingType({ types }: Names, step: MapNode): string | undefined {
  const type = textOf(step, 'type')?.text;
  return type !== undefined && types.find(type)?.shape.endsWorkflow === true ? type : undefined;
}
