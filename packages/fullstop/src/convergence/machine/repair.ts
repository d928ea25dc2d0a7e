import { frozen } from '../../run/frozen.js';
import { type Fact, violationKey } from '../facts/fact.js';
import type { FactAppender, FactLog } from '../facts/fact-log.js';
import { makeFactRef } from '../facts/fact-ref.js';
import type { Invariant, InvariantViolation } from '../options/invariant.js';
import type { Rules } from './rules.js';
import type { ConvergenceState } from './state.js';

/** Marks the violations that suggestors may still repair with the number of the attempt, as far as there is room for their facts. */
export function repairable(
  { repairs, budgets }: ConvergenceState,
  { invariants }: Rules,
  { wrong, facts }: { readonly wrong: readonly InvariantViolation[]; readonly facts: FactLog },
): readonly InvariantViolation[] {
  const attemptOf = (name: string): number => (repairs.get(name) ?? 0) + 1;
  const mayRepair = ({ name, repairs: most }: Invariant): boolean => attemptOf(name) <= most;
  const names = new Set(invariants.filter(mayRepair).map(({ name }) => name));
  const wanted = [...new Set(wrong.map(({ name }) => name))].filter((name) => names.has(name));
  const room = (budgets.facts ?? Number.POSITIVE_INFINITY) - facts.length;
  const repaired = new Set(wanted.slice(0, Math.max(0, room)));
  return wrong.map((each) => (repaired.has(each.name) ? { ...each, repair: attemptOf(each.name) } : each));
}

/** Adds the violations that may be repaired as facts, one for each invariant, and returns their references. */
export function addViolations(
  facts: FactAppender,
  violations: readonly InvariantViolation[],
  cycle: number,
): readonly string[] {
  const added = new Map<string, string>();
  for (const { name, repair } of violations) {
    if (repair === undefined || added.has(name)) continue;
    const id = freeId(facts, name);
    const ref = makeFactRef(violationKey, id);
    const all = violations.filter((each) => each.name === name);
    const broken = all.flatMap((each) => each.facts);
    const payload = { invariant: name, reasons: all.map(({ reason }) => reason), facts: broken, attempt: repair };
    const fact: Fact = {
      ref,
      key: violationKey,
      id,
      family: violationKey,
      version: 1,
      payload,
      confidence: 1,
      provenance: name,
      by: 'engine',
      cycle,
      clock: facts.length + 1,
      because: broken,
    };
    facts.add(frozen(fact));
    added.set(name, ref);
  }
  return [...added.values()];
}

/** The name of the rule as an id, with the first number that is free: other names may look alike, and snapshots have theirs. */
function freeId(facts: FactAppender, name: string): string {
  const text = name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
  const stem = text.slice(0, 100) || 'rule';
  let number = 1;
  while (facts.find(violationKey, `${stem}.${number}`) !== undefined) number += 1;
  return `${stem}.${number}`;
}
