import { checkOptions, someFunction, someText, trueOrFalse } from '../../stop/check-option.js';
import { wrongVerdict } from '../../stop/wrong-verdict.js';
import { isObject } from '../../termination/json.js';
import { type FactOrRef, refOf } from '../facts/fact.js';
import type { FactView } from '../facts/fact-view.js';
import { callRule } from './call-rule.js';

/** Something that a person has settled outside, handed in with a resume. */
export interface CriterionSettlement {
  readonly ref: string;
  readonly note?: string;
  readonly by?: string;
  readonly at: string;
}

/** How a criterion stands. */
export type CriterionStatus =
  | { readonly status: 'met'; readonly evidence?: readonly string[] }
  /** Only a person can bring this further. */
  | { readonly status: 'blocked'; readonly reason: string; readonly ref?: string }
  | { readonly status: 'unmet'; readonly reason: string }
  | { readonly status: 'indeterminate' };

/** The verdict on a criterion, as results show it. */
export type CriterionVerdict = CriterionStatus & { readonly id: string; readonly required: boolean };

/** The facts that a criterion is evaluated with. */
export interface CriterionView {
  readonly facts: FactView;
  /** The references that people have settled so far. */
  readonly settlements: readonly CriterionSettlement[];
  /** True when a person has settled this. */
  isSettled(ref: string): boolean;
}

/** Says whether a criterion is met. */
export type EvaluateCriterion = (view: CriterionView) => CriterionStatus | boolean | Promise<CriterionStatus | boolean>;

/** One goal of a run. */
export interface Criterion {
  readonly id: string;
  readonly description?: string;
  /** One that is not required is reported, and decides nothing. */
  readonly required: boolean;
  readonly evaluate: EvaluateCriterion;
}

/** The purpose of a run, and how it is known to be done. */
export interface ConvergenceIntent {
  readonly request?: string;
  /** At least one of them is required. */
  readonly criteria: readonly Criterion[];
  /** `every_cycle` stops as soon as all required criteria are met; `at_rest`, as usual, when nobody has anything to add. */
  readonly evaluate?: 'at_rest' | 'every_cycle';
}

/**
 * Defines a criterion.
 *
 * @example
 * criterion('decided', ({ facts }) => facts.has('decision'));
 */
export function criterion(
  id: string,
  evaluate: EvaluateCriterion,
  options: { readonly required?: boolean; readonly description?: string } = {},
): Criterion {
  someText(id, { builder: 'criterion', option: 'id' });
  const builder = `criterion ${id}`;
  const { required = true, description } = checkOptions(options, builder, ['required', 'description']);
  someFunction(evaluate, { builder, option: 'evaluate' });
  trueOrFalse(required, { builder, option: 'required' });
  return { id, evaluate, required, ...(description !== undefined && { description }) };
}

/** The criterion holds, with the facts that show it. */
export function met(...evidence: readonly FactOrRef[]): CriterionStatus {
  return evidence.length === 0 ? { status: 'met' } : { status: 'met', evidence: evidence.map(refOf) };
}

/** A person has to act; `ref` names what they have to settle. */
export function blocked(reason: string, ref?: string): CriterionStatus {
  return ref === undefined ? { status: 'blocked', reason } : { status: 'blocked', reason, ref };
}

/** A criterion that is not met, with the reason. */
export function unmet(reason: string): CriterionStatus {
  return { status: 'unmet', reason };
}

/** Asks all criteria. */
export async function verdictsOf(
  criteria: readonly Criterion[],
  view: CriterionView,
): Promise<readonly CriterionVerdict[]> {
  const verdicts: CriterionVerdict[] = [];
  for (const { id, required, evaluate } of criteria) {
    const rule = `The criterion ${JSON.stringify(id)}`;
    const said = await callRule(rule, () => evaluate(view));
    verdicts.push({ id, required, ...statusOf(said, rule) });
  }
  return verdicts;
}

function statusOf(said: CriterionStatus | boolean, rule: string): CriterionStatus {
  if (said === true) return { status: 'met' };
  if (said === false) return { status: 'unmet', reason: 'it does not hold' };
  if (isStatus(said)) return said;
  const expected = 'true, false, met(…), unmet(…) or blocked(…)';
  throw wrongVerdict(rule, said, expected);
}

function isStatus(said: unknown): said is CriterionStatus {
  if (!isObject(said)) return false;
  const { status, reason, ref } = said;
  if (status === 'met' || status === 'indeterminate') return true;
  if (status !== 'blocked' && status !== 'unmet') return false;
  return typeof reason === 'string' && (ref === undefined || typeof ref === 'string');
}

/** True when every required criterion is met. */
export function allMet(verdicts: readonly CriterionVerdict[]): boolean {
  const required = verdicts.filter((verdict) => verdict.required);
  return required.length > 0 && required.every(({ status }) => status === 'met');
}
