import type { JsonValue } from '../../termination/json.js';
import type { FactFamily } from '../options/family.js';
import type { Fact } from './fact.js';
import { type FactLog, factsOf, factsUnder, findByRef, findFact, keysOf } from './fact-log.js';

/** The facts of a run at one moment. It never changes, whatever is promoted later. */
export interface FactView {
  /** How many facts there are; also the logical clock. */
  readonly size: number;
  /** True when there is a fact under the key, or the one with this id. */
  has(key: string | FactFamily, id?: string): boolean;
  /** The facts under a key or of a family, oldest first. */
  get<TPayload>(key: FactFamily<TPayload>): readonly Fact<TPayload>[];
  get<TPayload = JsonValue>(key: string): readonly Fact<TPayload>[];
  /** The newest fact under a key or of a family. */
  latest<TPayload>(key: FactFamily<TPayload>): Fact<TPayload> | undefined;
  latest<TPayload = JsonValue>(key: string): Fact<TPayload> | undefined;
  /** A fact by its reference, `key/id`. */
  find(ref: string): Fact | undefined;
  /** The facts about a subject. */
  about(subject: string): readonly Fact[];
  all(): readonly Fact[];
  /** The keys that have facts: first those in the declared order, then the others as they came. */
  keys(): readonly string[];
}

const noOrder: readonly string[] = [];

/** The view of the facts of one state: the same one for all who look at it. */
export function viewOf(log: FactLog, order: readonly string[] = noOrder): FactView {
  log.known.view ??= makeView(log, order);
  return log.known.view;
}

function makeView(log: FactLog, order: readonly string[]): FactView {
  let kept: Map<string, readonly Fact[]> | undefined;
  // Lists are copied when they are asked for, and once: the log itself keeps growing, and nobody may reorder it.
  const keep = (key: string, list: () => readonly Fact[]): readonly Fact[] => {
    const known = kept?.get(key);
    if (known !== undefined) return known;
    const copy = Object.freeze(list().slice());
    kept ??= new Map();
    kept.set(key, copy);
    return copy;
  };
  const under = (key: string | FactFamily): readonly Fact[] => {
    if (typeof key === 'string') return factsUnder(log, key);
    return factsUnder(log, key.key).filter(({ family, version }) => family === key.name && version === key.version);
  };
  return {
    size: log.length,
    has: (key, id) =>
      id === undefined
        ? under(key).length > 0
        : findFact(log, typeof key === 'string' ? key : key.key, id) !== undefined,
    get: ((key: string | FactFamily) =>
      typeof key === 'string' ? keep(key, () => under(key)) : under(key)) as FactView['get'],
    latest: ((key: string | FactFamily) => under(key).at(-1)) as FactView['latest'],
    find: (ref) => findByRef(log, ref),
    about: (subject) => factsOf(log).filter((fact) => fact.subject === subject),
    all: () => keep('', () => factsOf(log)),
    keys: () => {
      const present = keysOf(log);
      const declared = order.filter((key) => present.includes(key));
      return [...declared, ...present.filter((key) => !declared.includes(key))];
    },
  };
}
