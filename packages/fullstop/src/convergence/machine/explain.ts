import { itemsOf } from '../../run/log.js';
import type { Fact } from '../facts/fact.js';
import { type FactLog, factsUnder, findByRef } from '../facts/fact-log.js';
import type { ProposalRejection } from '../facts/rejection.js';
import { parseGateId } from './convergence-key.js';
import type { Rules } from './rules.js';
import type { ConvergenceState } from './state.js';

/** Why a fact is there: who proposed it, who let it pass, and which facts it follows from. */
export interface FactExplanation {
  readonly fact: Fact;
  /** The facts that its suggestor names as reasons, or else the new facts that woke it. */
  readonly because: readonly FactExplanation[];
  /** True when `because` is what the suggestor said. */
  readonly stated: boolean;
  /** Proposals of the same key and id that were rejected. */
  readonly rejected: readonly ProposalRejection[];
}

/** The facts and proposals that led to a fact; undefined when there is no such fact. */
export function explain(state: ConvergenceState, rules: Rules, ref: string): FactExplanation | undefined {
  const fact = findByRef(state.facts, ref);
  if (fact === undefined) return undefined;
  const promoted = itemsOf(state.cycles).reduce((sum, cycle) => sum + cycle.promoted.length, 0);
  const causes = allCauses(fact, { facts: state.facts, rules, restored: state.facts.length - promoted });
  const known = new Map<string, FactExplanation>();
  // Facts follow from earlier ones only, so those come first: a long story needs no deep stack.
  for (const [each, because] of [...causes].sort(([left], [right]) => left.clock - right.clock)) {
    known.set(each.ref, {
      fact: each,
      because: because.flatMap((cause) => known.get(cause.ref) ?? []),
      stated: each.because !== undefined,
      rejected: itemsOf(state.rejections).filter((rejection) => rejection.ref === each.ref),
    });
  }
  return known.get(ref);
}

interface Story {
  readonly facts: FactLog;
  readonly rules: Rules;
  /** How many facts came from a snapshot; their cycles were those of another run. */
  readonly restored: number;
}

/** A fact and all that it goes back to, each with what it follows from. */
function allCauses(fact: Fact, story: Story): ReadonlyMap<Fact, readonly Fact[]> {
  const causes = new Map<Fact, readonly Fact[]>();
  const open = [fact];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (causes.has(next)) continue;
    const because = causesOf(next, story);
    causes.set(next, because);
    for (const cause of because) open.push(cause);
  }
  return causes;
}

function causesOf(fact: Fact, { facts, rules, restored }: Story): readonly Fact[] {
  const { because, by, clock } = fact;
  if (because !== undefined) {
    const stated = because.map((ref) => findByRef(facts, ref));
    return stated.filter((cause): cause is Fact => cause !== undefined && cause.clock < clock);
  }
  const asked = cycleAsked(fact);
  const isRestored = (each: Fact): boolean => each.clock <= restored;
  const isSeen = (each: Fact): boolean => each.cycle < asked || (isRestored(each) && !isRestored(fact));
  const seen = (rules.byName.get(by)?.dependsOn ?? [])
    .flatMap((key) => factsUnder(facts, key))
    .filter((each) => each.clock < clock && isSeen(each));
  const newest = seen.reduce((latest, each) => (each.clock > latest.clock ? each : latest), seen[0] ?? fact);
  return seen.filter((each) => each.cycle === newest.cycle && isRestored(each) === isRestored(newest));
}

/** The cycle in which it was proposed: what waited at a gate was promoted later. */
function cycleAsked({ cycle, approval }: Fact): number {
  return approval === undefined ? cycle : (parseGateId(approval.gateId)?.cycle ?? cycle);
}
