import { frozen } from '../run/frozen.js';
import { type Fact, violationKey } from './fact.js';
import type { FactAppender } from './fact-log.js';
import type { InvariantViolation } from './invariant.js';
import type { Rules } from './rules.js';
import type { ConvergenceState } from './state.js';

/** Marks a violation that suggestors may still repair with the number of the attempt. */
export function repairsLeft(
  { repairs }: ConvergenceState,
  { invariants }: Rules,
  violation: InvariantViolation,
): InvariantViolation {
  const most = invariants.find(({ name }) => name === violation.name)?.repairs ?? 0;
  const used = repairs.get(violation.name) ?? 0;
  return used < most ? { ...violation, repair: used + 1 } : violation;
}

/** Adds the violations that may be repaired as facts, one for each invariant, and gives their references. */
export function addViolations(
  facts: FactAppender,
  violations: readonly InvariantViolation[],
  cycle: number,
): readonly string[] {
  const added: string[] = [];
  for (const { name, repair } of violations) {
    if (repair === undefined) continue;
    const id = `${
      name
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-|-$/g, '')
        .slice(0, 100) || 'rule'
    }.${repair}`;
    const ref = `${violationKey}/${id}`;
    if (facts.find(violationKey, id) !== undefined) continue;
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
    added.push(ref);
  }
  return added;
}
