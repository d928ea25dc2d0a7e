import { dirname, resolve } from 'node:path';
import { valueToJson } from '../../template/json-text.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import { jsonTextOf } from '../source/json-text.js';
import { createReport } from '../source/problem.js';
import { readJson } from '../source/read-json.js';
import { readTree } from '../source/read-tree.js';

/** A workflow file as it was written, keys unchecked, `${NAME}` not replaced: its value may be a secret. */
export interface DescribedWorkflow {
  readonly file: string;
  readonly text: string;
  readonly settings: JsonObject;
  readonly steps: readonly JsonObject[];
  readonly parallel: readonly JsonObject[];
  readonly forEach: readonly JsonObject[];
}

/** Reads a file of a run from the texts that its journal holds; undefined when it is not among them. */
export function describeWorkflow(files: JsonObject, file: string): DescribedWorkflow | undefined {
  const text = files[file];
  if (typeof text !== 'string') return undefined;
  const content = contentOf(files, { file, text });
  if (content === undefined) return undefined;
  return {
    file,
    text,
    settings: objectOf(content['workflow']),
    steps: objectsOf(content['agents']),
    parallel: objectsOf(content['parallel']),
    forEach: objectsOf(content['for_each']),
  };
}

function contentOf(files: JsonObject, source: { file: string; text: string }): JsonObject | undefined {
  const tree = readTree({ ...source, readFile: (path) => readStored(files, path), report: createReport('yaml') });
  const read = tree === undefined ? undefined : readJson(jsonTextOf(tree));
  return read === undefined ? undefined : objectOf(valueToJson(read.value));
}

function readStored(files: JsonObject, path: string): string {
  const text = files[path];
  if (typeof text === 'string') return text;
  throw Object.assign(new Error(`The journal does not hold ${path}.`), { code: 'ENOENT' });
}

/** A step of the file, those inside for_each groups included. */
export function findStep({ steps, forEach }: DescribedWorkflow, name: string): JsonObject {
  const inline = forEach.map(({ agent }) => objectOf(agent));
  return [...steps, ...inline].find((step) => step['name'] === name) ?? {};
}

/** The file that a step of another one names. */
export function besideFile({ file }: DescribedWorkflow, name: string): string {
  return resolve(dirname(file), name);
}

/** The description of a workflow that the reference writes before its first step. */
export function topologyOf(files: JsonObject, workflow: DescribedWorkflow, types: StepKindEvents): JsonObject {
  const { settings, text } = workflow;
  const shape = shapeOf({ files, types, around: [workflow.file] }, workflow);
  return {
    ...shape,
    agents: shape.agents.map((agent, index) => ({ ...agent, ...modelOf(workflow.steps[index] ?? {}, settings) })),
    yaml_source: text,
    metadata: objectOf(settings['metadata']),
  };
}

/** The events of a type of step. */
type StepKindEvents = (type: string) => {
  readonly isWorkflow?: true;
  choices?(step: JsonObject): readonly JsonObject[];
};

interface Topology {
  readonly files: JsonObject;
  readonly types: StepKindEvents;
  /** The files that lead here. */
  readonly around: readonly string[];
}

interface Shape extends JsonObject {
  readonly agents: readonly JsonObject[];
}

/** Names and ways; sub-workflows are described inside the steps that run them, as long as none leads back to itself. */
function shapeOf({ files, types, around }: Topology, workflow: DescribedWorkflow): Shape {
  const { settings, steps, parallel, forEach } = workflow;
  const below = (name: string): JsonObject | null => {
    const file = besideFile(workflow, name);
    const child = around.includes(file) ? undefined : describeWorkflow(files, file);
    return child === undefined ? null : shapeOf({ files, types, around: [...around, file] }, child);
  };
  return {
    name: settings['name'] ?? null,
    entry_point: settings['entry_point'] ?? null,
    agents: steps.map(({ name = null, type = 'agent', workflow: child }) => ({
      name,
      type,
      ...(types(text(type)).isWorkflow && typeof child === 'string' && { subworkflow: below(child) }),
    })),
    parallel_groups: parallel.map(({ name = null, agents = [] }) => ({ name, agents })),
    for_each_groups: forEach.map(({ name = null, source = null }) => ({ name, source })),
    routes: routesOf(workflow, types),
  };
}

function modelOf(step: JsonObject, { runtime }: JsonObject): JsonObject {
  const usual = objectOf(runtime);
  const provider = objectOf(usual['provider'])['name'] ?? usual['provider'];
  return {
    model: step['model'] ?? null,
    provider_name: step['provider'] ?? provider ?? null,
    reasoning_effort: objectOf(step['reasoning'])['effort'] ?? usual['default_reasoning_effort'] ?? null,
    context_tier: step['context_tier'] ?? usual['default_context_tier'] ?? null,
  };
}

/** Steps first, then the choices of gates, then groups. */
function routesOf({ steps, parallel, forEach }: DescribedWorkflow, types: StepKindEvents): readonly JsonObject[] {
  const choices = steps.flatMap((step) => types(text(step['type'])).choices?.(step) ?? []);
  return [...steps.flatMap(ownRoutes), ...choices, ...[...parallel, ...forEach].flatMap(ownRoutes)];
}

function ownRoutes({ name = null, routes }: JsonObject): readonly JsonObject[] {
  return objectsOf(routes).map(({ to = null, when = null }) => ({ from: name, to, when }));
}

/** The choices that a gate offers. */
export function choicesOf({ options }: JsonObject): JsonObject {
  const details = objectsOf(options).map((option) => ({
    label: option['label'] ?? null,
    value: option['value'] ?? null,
    route: option['route'] ?? null,
    prompt_for: option['prompt_for'] ?? null,
    multiline: option['multiline'] ?? false,
  }));
  return { options: details.map(({ value }) => value), option_details: details };
}

/** The members of an object that are there. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject).map(objectOf) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
