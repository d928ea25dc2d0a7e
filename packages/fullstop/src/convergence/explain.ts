import type { Fact } from './fact.js';
import { type FactLog, factsUnder, findFact } from './fact-log.js';
import { itemsOf } from './growing-list.js';
import type { Rejection } from './rejection.js';
import type { Rules } from './rules.js';
import type { ConvergenceState } from './state.js';

/** Why a fact is there: who proposed it, who let it pass, and which facts it follows from. */
export interface Explanation {
  readonly fact: Fact;
  /** What its suggestor says that it follows from, or else the new facts that woke it. */
  readonly because: readonly Explanation[];
  /** True when `because` is what the suggestor said. */
  readonly stated: boolean;
  /** Proposals of the same key and id that were rejected. */
  readonly rejected: readonly Rejection[];
}

/** The facts and proposals that led to a fact; undefined when there is no such fact. */
export function explain(state: ConvergenceState, rules: Rules, ref: string): Explanation | undefined {
  const fact = findFact(state.facts, ref);
  return fact === undefined ? undefined : explained(state, rules, fact, new Map());
}

/** Each fact is explained once; facts follow from earlier ones only, so there is no circle. */
function explained(state: ConvergenceState, rules: Rules, fact: Fact, known: Map<string, Explanation>): Explanation {
  const before = known.get(fact.ref);
  if (before !== undefined) return before;
  const causes = causesOf(state.facts, rules, fact);
  const explanation: Explanation = {
    fact,
    because: causes.map((cause) => explained(state, rules, cause, known)),
    stated: fact.because !== undefined,
    rejected: itemsOf(state.rejections).filter((each) => each.ref === fact.ref),
  };
  known.set(fact.ref, explanation);
  return explanation;
}

function causesOf(facts: FactLog, { byName }: Rules, { because, by, cycle, clock }: Fact): readonly Fact[] {
  if (because !== undefined) {
    const stated = because.map((ref) => findFact(facts, ref));
    return stated.filter((cause): cause is Fact => cause !== undefined && cause.clock < clock);
  }
  const seen = (byName.get(by)?.dependsOn ?? [])
    .flatMap((key) => factsUnder(facts, key))
    .filter((each) => each.cycle < cycle);
  const newest = Math.max(...seen.map((each) => each.cycle));
  return seen.filter((each) => each.cycle === newest);
}
