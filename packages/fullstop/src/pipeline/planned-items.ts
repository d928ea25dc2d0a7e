import { added, emptyLog, itemsOf, type Log, logOf } from '../run/log.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { type PlannedItem, stagesOf } from './machine/plan.js';

/** The items of one pipeline and the names that they take. Adding one is neither a copy nor a change to the pipeline before it. */
export interface PlannedItems {
  readonly log: Log<PlannedItem>;
  /** Shared with all pipelines of the same chain, longer ones too: a name counts from its item on. */
  readonly names: TakenNames;
}

interface TakenNames {
  readonly stages: Map<string, TakenName>;
  readonly phases: Map<string, TakenName>;
}

interface TakenName {
  /** The index of the first item that has it. */
  readonly at: number;
  readonly isInPhase: boolean;
}

export function emptyItems(): PlannedItems {
  return { log: emptyLog(), names: { stages: new Map(), phases: new Map() } };
}

/** The items with one more. Names of stages are unique, because later stages find outputs by them. */
export function addItem(items: PlannedItems, item: PlannedItem): PlannedItems {
  checkNames(items, item);
  // Another pipeline continues these items already: this one gets a list and names of its own.
  const { log, names } = items.log.items.length === items.log.length ? items : copyItems(items);
  takeNames(names, item, log.length);
  return { log: added(log, item), names };
}

function copyItems({ log }: PlannedItems): PlannedItems {
  const copy = { ...emptyItems(), log: logOf(itemsOf(log)) };
  for (const [at, item] of copy.log.items.entries()) takeNames(copy.names, item, at);
  return copy;
}

function takeNames({ stages, phases }: TakenNames, item: PlannedItem, at: number): void {
  const isInPhase = item.type === 'phase';
  for (const { name } of stagesOf(item)) stages.set(name, { at, isInPhase });
  if (isInPhase && !isTaken(phases.get(item.name), at)) phases.set(item.name, { at, isInPhase });
}

function checkNames({ log, names }: PlannedItems, item: PlannedItem): void {
  const own = new Set<string>();
  for (const { name } of stagesOf(item)) {
    if (own.has(name) || isTaken(names.stages.get(name), log.length)) throw duplicate(name);
    own.add(name);
  }
  // Both are units of the pipeline, and a unit is found by its name.
  const other = item.type === 'stage' ? names.phases.get(item.name) : names.stages.get(item.name);
  const isUnit = other !== undefined && (item.type === 'stage' || !other.isInPhase);
  if (isUnit && isTaken(other, log.length)) throw duplicate(item.name);
}

function isTaken(name: TakenName | undefined, length: number): boolean {
  return name !== undefined && name.at < length;
}

function duplicate(name: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `The name ${JSON.stringify(name)} is taken in this pipeline.`);
}
