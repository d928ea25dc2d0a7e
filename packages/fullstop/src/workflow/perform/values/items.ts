import { Dict } from '../../../template/dict.js';
import { writeJsonText } from '../../../template/json-text.js';
import { toText } from '../../../template/text/python-text.js';
import type { Value } from '../../../template/value.js';
import type { ListedItem } from '../../graph/group-type.js';
import { outputOf } from '../../machine/outputs.js';
import type { ItemsOutcome, WorkflowState } from '../../machine/state.js';
import { attempt, StepProblem } from '../../machine/step-problem.js';
import type { ForEachGroup } from '../../schema/document.js';
import { readJson } from '../../source/read-json.js';
import type { Runtime } from '../runtime.js';

/** The items that a for_each group goes through, each with its key. */
export function listItems(runtime: Runtime, state: WorkflowState, group: ForEachGroup): ItemsOutcome {
  const listed = attempt(() => itemsOf(group, sourceList(runtime, state, group.source)));
  return 'problem' in listed ? { problem: listed.problem } : { items: listed.value };
}

/** Each item is a step of its own, with its entries in the journal. */
const mostItems = 100_000;

function itemsOf({ key_by: path, as, source }: ForEachGroup, list: readonly Value[]): readonly ListedItem[] {
  if (list.length > mostItems) {
    const message = `The source '${source}' has ${list.length} items; a for_each group takes at most ${mostItems}`;
    throw new StepProblem('ExecutionError', message, { code: 'TOO_MANY_ITEMS' });
  }
  const keyOf = path === undefined ? () => undefined : keyReader(path.split('.'), as);
  return list.map((item, index) => ({ key: keyOf(item) ?? String(index), text: writeJsonText(item) }));
}

/** The path begins in the item; one that begins with the name of the item, as templates have it, is meant so too. */
function keyReader(path: readonly string[], name: string): (item: Value) => string | undefined {
  return (item) => {
    const own = memberAt(item, path);
    const found = own === undefined && path[0] === name ? memberAt(item, path.slice(1)) : own;
    return found === undefined ? undefined : toText(found);
  };
}

function memberAt(item: Value, path: readonly string[]): Value | undefined {
  let current: Value | undefined = item;
  for (const part of path) {
    if (!(current instanceof Dict)) return undefined;
    current = current.getText(part);
  }
  return current;
}

/** The list that a dotted source names. */
export function sourceList(runtime: Runtime, state: WorkflowState, source: string): readonly Value[] {
  const path = source.split('.');
  const isInput = path[0] === 'workflow' && path[1] === 'input';
  const found = isInput ? inputAt(runtime, state, path) : outputAt(state, source, path);
  const value = isInput && typeof found === 'string' ? (readJson(found)?.value ?? found) : found;
  if (Array.isArray(value)) return value;
  throw new StepProblem('ExecutionError', `The source '${source}' gave ${typeName(value)}, expected list`);
}

function inputAt(runtime: Runtime, state: WorkflowState, path: readonly string[]): Value {
  return walk(runtime.workflowValue(state.inputs), path.slice(1), path.join('.'));
}

function outputAt(state: WorkflowState, source: string, path: readonly string[]): Value {
  const [name = '', ...rest] = path;
  const known = outputOf(state.outputs, name);
  if (known === undefined) {
    throw new StepProblem('ExecutionError', `The source '${source}' cannot be read: step '${name}' has no output yet`);
  }
  return walk(known.exposed, rest, source);
}

function walk(from: Value, path: readonly string[], source: string): Value {
  let current: Value = from;
  for (const part of path) {
    const next: Value | undefined = current instanceof Dict ? current.getText(part) : undefined;
    if (next === undefined) {
      throw new StepProblem('ExecutionError', `The source '${source}' cannot be read: '${part}' not found`);
    }
    current = next;
  }
  return current;
}

function typeName(value: Value): string {
  if (value instanceof Dict) return 'a mapping';
  return value === null ? 'null' : `a ${typeof value}`;
}
