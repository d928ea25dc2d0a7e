import { createReport, type DocumentPath } from '../source/problem.js';
import { entryOf, type MapEntry, type MapNode, type YamlNode } from '../source/yaml-node.js';
import type { ForEachGroup, WorkflowDocument } from './document.js';
import type { Field } from './field.js';
import { readField, readKey } from './read-field.js';
import { invalid, type SchemaSpot } from './read-scalar.js';
import type { InputDefinition, ParallelGroup } from './record-types.js';
import type { SetStep } from './steps/set.js';
import { root as rootFields, workflowSettings } from './workflow-records.js';

type Steps = SchemaSpot['steps'];

/** The readable part of a file that has problems; a part that cannot be read is replaced by one that says nothing. */
export interface ReadablePart {
  readonly document: WorkflowDocument;
  /** The parts that were replaced. */
  readonly broken: readonly DocumentPath[];
  /** Whether all names of a sort are known, although parts are missing. */
  readonly knows: { readonly steps: boolean; readonly inputs: boolean; readonly tools: boolean };
}

/** Reads what is good of a document, so that the rest can be checked for what it means. */
export function readablePart(root: MapNode, steps: Steps): ReadablePart {
  const broken: DocumentPath[] = [];
  const settings = entryOf(root, 'workflow')?.value;
  const tools = quietly(rootFields.tools, entryOf(root, 'tools')?.value, steps);
  const output = entryOf(root, 'output')?.value;
  const document = {
    workflow: readSettings(settings, { broken, steps }),
    agents: readUnits(root, 'agents', { broken, steps, standIn: emptyStep }),
    parallel: readUnits(root, 'parallel', { broken, steps, standIn: emptyParallel }),
    for_each: readUnits(root, 'for_each', { broken, steps, standIn: emptyForEach }),
    tools: tools === invalid || tools === undefined ? [] : tools,
    output: new Map(output?.kind === 'map' ? output.entries.flatMap(textEntry) : []),
  } as unknown as WorkflowDocument;
  const inputs = settings?.kind === 'map' ? entryOf(settings, 'input')?.value : settings;
  return {
    document,
    broken,
    knows: {
      steps: knowsNames(root),
      inputs: inputs === undefined || inputs.kind === 'map',
      tools: tools !== invalid,
    },
  };
}

/** Whether every step and group has a name that can be read. */
export function knowsNames(root: MapNode): boolean {
  return (['agents', 'parallel', 'for_each'] as const).every((key) => {
    const list = entryOf(root, key)?.value;
    if (list === undefined) return key !== 'agents';
    return list.kind === 'list' && list.items.every((item) => nameOf(item) !== '');
  });
}

function nameOf(node: YamlNode): string {
  const name = node.kind === 'map' ? entryOf(node, 'name')?.value : undefined;
  return name?.kind === 'string' ? name.text : '';
}

/** Reads a value without telling anyone what is wrong with it. */
function quietly(field: Field, node: YamlNode | undefined, steps: Steps): unknown {
  return node === undefined ? undefined : readField(field, { node, path: [], report: createReport('schema'), steps });
}

function textEntry({ key, value }: MapEntry): readonly (readonly [string, string])[] {
  return value.kind === 'string' ? [[key, value.text]] : [];
}

interface Reading {
  readonly broken: DocumentPath[];
  readonly steps: Steps;
}

interface Replacing extends Reading {
  readonly standIn: (name: string) => unknown;
}

type UnitKey = 'agents' | 'parallel' | 'for_each';

function readUnits(root: MapNode, key: UnitKey, { broken, steps, standIn }: Replacing): readonly unknown[] {
  const list = entryOf(root, key)?.value;
  if (list?.kind !== 'list') return [];
  return list.items.map((item, index) => {
    const unit = quietly(rootFields[key].of, item, steps);
    if (unit !== invalid) return unit;
    broken.push([key, index]);
    return standIn(nameOf(item));
  });
}

/** The settings without the keys that are wrong; the names of inputs stand, whatever is wrong with their definitions. */
function readSettings(node: YamlNode | undefined, { broken, steps }: Reading): unknown {
  const whole = quietly(rootFields.workflow, node, steps);
  if (whole !== undefined && whole !== invalid) return whole;
  const entries = node?.kind === 'map' ? node.entries : [];
  const at = node?.at ?? { file: '', line: 1, column: 1 };
  const report = createReport('schema');
  const map = (kept: readonly MapEntry[]): MapNode => ({ kind: 'map', entries: kept, at, size: kept.length });
  const named = (['name', 'entry_point'] as const).map(
    (key): MapEntry => ({
      key,
      keyIsText: true,
      keyAt: at,
      value: { kind: 'string', text: '', at, style: 'quoted' },
    }),
  );
  const good = entries.filter(({ key }) => {
    const field = (workflowSettings as Readonly<Record<string, Field>>)[key];
    const isGood =
      field !== undefined && readKey(key, field, { node: map(entries), path: [], report, steps }) !== invalid;
    if (!isGood) broken.push(['workflow', key]);
    return isGood;
  });
  const missing = named.filter(({ key }) => !good.some((entry) => entry.key === key));
  const settings = quietly(rootFields.workflow, map([...good, ...missing]), steps);
  const read = settings === invalid ? quietly(rootFields.workflow, map(named), steps) : settings;
  return { ...(read as object), ...inputNames(entries.find(({ key }) => key === 'input')?.value, steps) };
}

const anyInput: InputDefinition = { type: 'string', required: false };

function inputNames(node: YamlNode | undefined, steps: Steps): object {
  if (node?.kind !== 'map') return {};
  const read = quietly(workflowSettings.input, node, steps);
  if (read !== invalid) return {};
  return { input: new Map(node.entries.map(({ key }) => [key, anyInput])) };
}

/** A step without texts; that it may fail keeps the names in scope which exist only after failures. */
function emptyStep(name: string): SetStep {
  return { type: 'set', name, value: '', input: [], routes: [], on_error: [{ to: '$end' }] };
}

function emptyParallel(name: string): ParallelGroup {
  return { name, agents: [], failure_mode: 'fail_fast', routes: [], on_error: [] };
}

function emptyForEach(name: string): ForEachGroup {
  return {
    name,
    type: 'for_each',
    source: 'workflow.input.items',
    as: 'item',
    agent: emptyStep(''),
    max_concurrent: 1,
    failure_mode: 'fail_fast',
    routes: [],
    on_error: [],
  };
}
