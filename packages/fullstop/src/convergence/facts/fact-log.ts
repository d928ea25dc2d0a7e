import type { Fact } from './fact.js';
import { parseFactRef } from './fact-ref.js';
import type { FactView } from './fact-view.js';
import { writeLeaf } from './leaf.js';
import { MerkleTree } from './merkle-tree.js';
import { toHex } from './sha256.js';

/** The facts that all states of a run share. They only grow, and each state sees as much of it as it knows of. */
interface Shared {
  readonly facts: Fact[];
  readonly byKey: Map<string, Keyed>;
  readonly tree: MerkleTree;
}

/** The facts under one key. By id and not by reference: putting the two together to look something up costs more than looking. */
interface Keyed {
  readonly facts: Fact[];
  readonly byId: Map<string, Fact>;
}

/** The facts of one state. Adding some is neither a copy nor a change to an earlier state. */
export interface FactLog {
  readonly shared: Shared;
  /** How many facts there are, which is also the logical clock. */
  readonly length: number;
  readonly known: Known;
}

/** Values that follow from the facts, once they were asked for. */
interface Known {
  root: string | undefined;
  view: FactView | undefined;
}

export function emptyFacts(): FactLog {
  return { shared: emptyShared(), length: 0, known: { root: undefined, view: undefined } };
}

function emptyShared(): Shared {
  return { facts: [], byKey: new Map(), tree: new MerkleTree() };
}

/** Adds facts after those of a state. */
export class FactAppender {
  readonly #shared: Shared;

  constructor(log: FactLog) {
    const { shared } = log;
    // Another future of the same state has written here already: this one gets a place of its own.
    this.#shared = shared.facts.length === log.length ? shared : copyShared(log);
  }

  get length(): number {
    return this.#shared.facts.length;
  }

  find(key: string, id: string): Fact | undefined {
    return this.#shared.byKey.get(key)?.byId.get(id);
  }

  /** Adds a fact that is frozen all the way down. */
  add(fact: Fact): void {
    put(this.#shared, fact);
  }

  /** The facts so far. */
  log(): FactLog {
    return { shared: this.#shared, length: this.length, known: { root: undefined, view: undefined } };
  }
}

function put({ facts, byKey, tree }: Shared, fact: Fact): void {
  tree.add(fact, writeLeaf);
  facts.push(fact);
  let keyed = byKey.get(fact.key);
  if (keyed === undefined) {
    keyed = { facts: [], byId: new Map() };
    byKey.set(fact.key, keyed);
  }
  keyed.facts.push(fact);
  keyed.byId.set(fact.id, fact);
}

function copyShared(log: FactLog): Shared {
  const shared = emptyShared();
  for (const fact of factsOf(log)) put(shared, fact);
  return shared;
}

/** All facts in the order of their promotion. */
export function factsOf({ shared, length }: FactLog): readonly Fact[] {
  return shared.facts.length === length ? shared.facts : shared.facts.slice(0, length);
}

export function findFact({ shared, length }: FactLog, key: string, id: string): Fact | undefined {
  const fact = shared.byKey.get(key)?.byId.get(id);
  return fact === undefined || fact.clock > length ? undefined : fact;
}

/** The fact with a reference, `key/id`. */
export function findByRef(log: FactLog, ref: string): Fact | undefined {
  const parsed = parseFactRef(ref);
  return parsed === undefined ? undefined : findFact(log, parsed.key, parsed.id);
}

/** The facts under a key in the order of their promotion. */
export function factsUnder({ shared, length }: FactLog, key: string): readonly Fact[] {
  const list = shared.byKey.get(key)?.facts ?? [];
  const last = list.at(-1);
  if (last === undefined || last.clock <= length) return list;
  // The list continues after this state; clocks rise, so its end is found by halving.
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as Fact).clock <= length) low = middle + 1;
    else high = middle;
  }
  return list.slice(0, low);
}

/** The keys that have facts, in the order of their first one. */
export function keysOf(log: FactLog): readonly string[] {
  const { shared, length } = log;
  const keys: string[] = [];
  for (const [key, { facts }] of shared.byKey) if ((facts[0] as Fact).clock <= length) keys.push(key);
  return keys;
}

const emptyRoot = toHex(new MerkleTree().root());

/** The root over all facts of a state, in hexadecimal digits. It is asked for several times, and made once. */
export function rootText({ shared, length, known }: FactLog): string {
  known.root ??= length === 0 ? emptyRoot : toHex(shared.tree.root(length));
  return known.root;
}
