import { checkOptions, someFunction, someText, wholeLimit } from '../../stop/check-option.js';
import { wrongVerdict } from '../../stop/wrong-verdict.js';
import { isObject } from '../../termination/json.js';
import { type FactOrRef, isFactOrRef, refOf } from '../facts/fact.js';
import type { FactView } from '../facts/fact-view.js';
import { callRule } from './call-rule.js';

/** A breach of an invariant: why, and by which facts. */
export interface InvariantBreach {
  readonly reason: string;
  readonly facts?: readonly FactOrRef[];
}

/** True or nothing when it holds; else false, a reason, a breach, or a list of breaches. */
export type InvariantVerdict = boolean | undefined | string | InvariantBreach | readonly InvariantBreach[];

/** Says whether an invariant holds for the facts. */
export type InvariantCheck = (facts: FactView) => InvariantVerdict | Promise<InvariantVerdict>;

/** A rule about the facts of a run. */
export interface Invariant {
  readonly class: 'structural' | 'semantic' | 'acceptance';
  readonly name: string;
  readonly check: InvariantCheck;
  /** How often a violation becomes a fact that suggestors may react to, before it ends the run. */
  readonly repairs: number;
}

/** A rule that must hold after every merge, and for the input too. */
export function structural(name: string, check: InvariantCheck): Invariant {
  return invariant({ class: 'structural', name, check, repairs: 0 });
}

/** A rule that must hold at the end of every cycle that brought something new, unless it may be repaired. */
export function semantic(name: string, check: InvariantCheck, options: { readonly repairs?: number } = {}): Invariant {
  const { repairs } = checkOptions(options, `semantic ${name}`, ['repairs']);
  const most = repairs === undefined ? 0 : wholeLimit(repairs, { builder: `semantic ${name}`, option: 'repairs' });
  return invariant({ class: 'semantic', name, check, repairs: most });
}

/** A rule that must hold when the run claims to be done. */
export function acceptance(name: string, check: InvariantCheck): Invariant {
  return invariant({ class: 'acceptance', name, check, repairs: 0 });
}

function invariant(rule: Invariant): Invariant {
  someText(rule.name, { builder: rule.class, option: 'name' });
  someFunction(rule.check, { builder: `${rule.class} ${rule.name}`, option: 'check' });
  return rule;
}

/** A violated invariant, as the journal holds it. */
export interface InvariantViolation {
  readonly class: Invariant['class'];
  readonly name: string;
  readonly reason: string;
  readonly facts: readonly string[];
  /** Set when it became a fact, for suggestors to react to. */
  readonly repair?: number;
}

/** Asks the invariants of a class. All violations are reported, not only the first. */
export async function violationsOf(
  invariants: readonly Invariant[],
  wanted: Invariant['class'],
  facts: FactView,
): Promise<readonly InvariantViolation[]> {
  const violations: InvariantViolation[] = [];
  for (const invariant of invariants) {
    if (invariant.class !== wanted) continue;
    const rule = `The invariant ${JSON.stringify(invariant.name)}`;
    const verdict = await callRule(rule, () => invariant.check(facts));
    for (const { reason, facts: offending = [] } of breachesOf(verdict, rule))
      violations.push({ class: wanted, name: invariant.name, reason, facts: offending.map(refOf) });
  }
  return violations;
}

function breachesOf(verdict: InvariantVerdict, rule: string): readonly InvariantBreach[] {
  if (verdict === true || verdict === undefined) return [];
  if (verdict === false) return [{ reason: 'it does not hold' }];
  if (typeof verdict === 'string') return [{ reason: verdict }];
  const breaches: readonly unknown[] = Array.isArray(verdict) ? verdict : [verdict];
  if (breaches.every(isBreach)) return breaches;
  const expected = 'true, false, a reason, or breaches { reason, facts? }';
  throw wrongVerdict(rule, verdict, expected);
}

function isBreach(value: unknown): value is InvariantBreach {
  if (!isObject(value) || typeof value['reason'] !== 'string') return false;
  const { facts = [] } = value;
  return Array.isArray(facts) && facts.every(isFactOrRef);
}
