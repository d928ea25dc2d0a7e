import { Dict } from '../../template/dict.js';
import { readJsonText } from '../../template/json-text.js';
import type { Value } from '../../template/value.js';

/** One output of a step, as JSON text; the value is read when a template asks for it. */
export class StoredOutput {
  readonly name: string;
  readonly text: string;
  #value: Value | undefined;
  #exposed: Value | undefined;

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  get value(): Value {
    this.#value ??= readJsonText(this.text);
    return this.#value;
  }

  /** The value that templates see under the name: the output in a mapping, or a group as it is. */
  get exposed(): Value {
    this.#exposed ??= isGroup(this.value) ? this.value : new Dict().setText('output', this.value);
    return this.#exposed;
  }
}

/** Whatever has both outputs and errors counts as a group, as in the reference. */
function isGroup(value: Value): boolean {
  return value instanceof Dict && value.getText('outputs') !== undefined && value.getText('errors') !== undefined;
}

/** A change that trimming made: another output under the name, or none at all. */
interface Trimmed {
  readonly name: string;
  readonly output: StoredOutput | undefined;
}

type Item = StoredOutput | Trimmed;

interface Shared {
  readonly items: Item[];
  /** The places of each name in the list, ascending. */
  readonly places: Map<string, number[]>;
  /** The names in the order in which they first appeared. */
  readonly names: string[];
}

/**
 * The outputs of all steps. They only grow, and all states share one list, of which each sees as much as it knows: a step
 * costs the same however many came before it.
 */
export interface Outputs {
  readonly shared: Shared;
  /** How much of the shared list belongs to this state. */
  readonly length: number;
  /** How many of them are outputs of steps, not changes by trimming. */
  readonly stores: number;
  /** One more output that only this view has. */
  readonly latest?: StoredOutput;
}

export function noOutputs(): Outputs {
  return { shared: { items: [], places: new Map(), names: [] }, length: 0, stores: 0 };
}

/** The outputs with one more. */
export function storeOutput(outputs: Outputs, name: string, text: string): Outputs {
  return appended(outputs, new StoredOutput(name, text), 1);
}

/** A view with one more output, for whoever looks ahead: the list that states share stays as it is. */
export function withLatest({ shared, length, stores }: Outputs, latest: StoredOutput): Outputs {
  return { shared, length, stores: stores + 1, latest };
}

/** The outputs after trimming: `text` is what is left of one, undefined when it was dropped. */
export function trimOutputs(outputs: Outputs, name: string, text: string | undefined): Outputs {
  const output = text === undefined ? undefined : new StoredOutput(name, text);
  return appended(outputs, { name, output }, 0);
}

/** The latest output of a step that this state knows. */
export function outputOf({ shared, length, latest }: Outputs, name: string): StoredOutput | undefined {
  if (latest?.name === name) return latest;
  const places = shared.places.get(name);
  if (places === undefined) return undefined;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    const place = places[index] as number;
    if (place < length) return outputIn(shared.items[place] as Item);
  }
  return undefined;
}

/** The names of completed steps and groups, in order, with repeats. */
export function historyOf({ shared, length, latest }: Outputs): readonly string[] {
  const history: string[] = [];
  for (let index = 0; index < length; index += 1) {
    const item = shared.items[index];
    if (item instanceof StoredOutput) history.push(item.name);
  }
  if (latest !== undefined) history.push(latest.name);
  return history;
}

/** The name of the step that completed last. */
export function lastName({ shared, length, latest }: Outputs): string | undefined {
  if (latest !== undefined) return latest.name;
  for (let index = length - 1; index >= 0; index -= 1) {
    const item = shared.items[index];
    if (item instanceof StoredOutput) return item.name;
  }
  return undefined;
}

/** The names that have an output, in the order in which they first had one. */
export function namesOf(outputs: Outputs): readonly string[] {
  return outputs.shared.names.filter((name) => outputOf(outputs, name) !== undefined);
}

function outputIn(item: Item): StoredOutput | undefined {
  return item instanceof StoredOutput ? item : item.output;
}

function appended({ shared, length, stores }: Outputs, item: Item, counts: 0 | 1): Outputs {
  // Only the newest state may add to the shared list; an older one continues with a copy of its own.
  const list = shared.items.length === length ? shared : copyOf(shared, length);
  push(list, item);
  return { shared: list, length: length + 1, stores: stores + counts };
}

function copyOf(shared: Shared, length: number): Shared {
  const copy: Shared = { items: [], places: new Map(), names: [] };
  for (let index = 0; index < length; index += 1) push(copy, shared.items[index] as Item);
  return copy;
}

function push(shared: Shared, item: Item): void {
  const places = shared.places.get(item.name);
  if (places === undefined) {
    shared.places.set(item.name, [shared.items.length]);
    shared.names.push(item.name);
  } else places.push(shared.items.length);
  shared.items.push(item);
}
