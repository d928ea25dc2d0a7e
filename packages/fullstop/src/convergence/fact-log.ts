import type { Fact } from './fact.js';
import type { FactView } from './fact-view.js';
import { writeLeaf } from './leaf.js';
import { MerkleTree } from './merkle-tree.js';
import { toHex } from './sha256.js';

/** What all states of a run share. It only grows, and each state sees as much of it as it knows of. */
interface Shared {
  readonly facts: Fact[];
  readonly places: Map<string, number>;
  readonly byKey: Map<string, Fact[]>;
  readonly tree: MerkleTree;
}

/** The facts of one state. Adding some is neither a copy nor a change to an earlier state. */
export interface FactLog {
  readonly shared: Shared;
  /** How many facts there are, which is also the logical clock. */
  readonly length: number;
  readonly known: Known;
}

/** What follows from the facts, once it was asked for. */
interface Known {
  root: string | undefined;
  view: FactView | undefined;
}

export function emptyFacts(): FactLog {
  return { shared: emptyShared(), length: 0, known: { root: undefined, view: undefined } };
}

function emptyShared(): Shared {
  return { facts: [], places: new Map(), byKey: new Map(), tree: new MerkleTree() };
}

/** Adds facts behind those of a state. */
export class FactAppender {
  readonly #shared: Shared;

  constructor(log: FactLog) {
    const { shared } = log;
    // Another future of the same state has written here already: this one gets a place of its own.
    this.#shared = shared.facts.length === log.length ? shared : copied(log);
  }

  get length(): number {
    return this.#shared.facts.length;
  }

  find(ref: string): Fact | undefined {
    const place = this.#shared.places.get(ref);
    return place === undefined ? undefined : this.#shared.facts[place];
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

function put({ facts, places, byKey, tree }: Shared, fact: Fact): void {
  tree.add(fact, writeLeaf);
  places.set(fact.ref, facts.length);
  facts.push(fact);
  const list = byKey.get(fact.key);
  if (list === undefined) byKey.set(fact.key, [fact]);
  else list.push(fact);
}

function copied(log: FactLog): Shared {
  const shared = emptyShared();
  for (const fact of factsOf(log)) put(shared, fact);
  return shared;
}

/** All facts in the order of their promotion. */
export function factsOf({ shared, length }: FactLog): readonly Fact[] {
  return shared.facts.length === length ? shared.facts : shared.facts.slice(0, length);
}

export function findFact({ shared, length }: FactLog, ref: string): Fact | undefined {
  const place = shared.places.get(ref);
  return place === undefined || place >= length ? undefined : shared.facts[place];
}

/** The facts under a key in the order of their promotion. */
export function factsUnder({ shared, length }: FactLog, key: string): readonly Fact[] {
  const list = shared.byKey.get(key) ?? [];
  const last = list.at(-1);
  if (last === undefined || last.clock <= length) return list;
  // The list goes on behind this state; clocks rise, so its end is found by halving.
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
  for (const [key, [first]] of shared.byKey) if (first !== undefined && first.clock <= length) keys.push(key);
  return keys;
}

const emptyRoot = toHex(new MerkleTree().root());

/** The root over all facts of a state, in hexadecimal digits. It is asked for several times, and made once. */
export function rootText({ shared, length, known }: FactLog): string {
  known.root ??= length === 0 ? emptyRoot : toHex(shared.tree.root(length));
  return known.root;
}
