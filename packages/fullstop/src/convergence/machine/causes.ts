import { endingOfError } from '../../run/ending/ending-of-error.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import { allMet } from '../options/criterion.js';
import type { InvariantViolation } from '../options/invariant.js';
import type { CycleEntry } from './cycle-entry.js';
import { circleEndings, refusedEndings } from './oscillation.js';
import type { Rules } from './rules.js';
import type { ConvergenceState, SuggestorFailure } from './state.js';

/** The failures of a cycle: causes that win against everything else at this point. `refs` names proposals by their places. */
export function errorsIn(
  state: ConvergenceState,
  entry: CycleEntry,
  refs: ReadonlyMap<number, string>,
): readonly Ending[] {
  const fatal = entry.exceptions.flatMap((each) => (each.type === 'rejected' && each.fatal === true ? [each] : []));
  const failures = state.failed.map(failureEnding);
  return failures.concat(
    fatal.map(({ at, reason }) => terminations.promotionRejected({ proposalId: refs.get(at) ?? '', reason })),
    violationsIn(state, entry).map(({ class: kind, name, reason, facts }) =>
      terminations.invariantViolated({ class: kind, name, reason, facts }),
    ),
  );
}

/** Violations that end the run; those that may be repaired do so only once nobody repairs them. */
function violationsIn(
  { unrepaired }: ConvergenceState,
  { violations, rest }: CycleEntry,
): readonly InvariantViolation[] {
  const final = violations.filter(({ repair }) => repair === undefined);
  return rest ? [...final, ...unrepaired] : final;
}

/** The ending that follows from a suggestor that failed, refused or ran a unit that failed. */
export function failureEnding({ suggestor, refused, error, termination, path }: SuggestorFailure): Ending {
  if (termination !== undefined) {
    const child = { name: suggestor, path: path ?? suggestor };
    return terminations.childFailed({ child, termination: termination as AnyTermination });
  }
  if (refused !== undefined) return terminations.agentRefused({ agentId: suggestor, reason: refused, by: 'suggestor' });
  const known = error ?? { name: 'Error', message: 'it returned nothing' };
  const named = { ...known, message: `The suggestor ${JSON.stringify(suggestor)} failed: ${known.message}` };
  return endingOfError(named, 'step');
}

/** The ending of a run whose own callbacks failed: gates, invariants, criteria, accepts, seed or output. */
export function callbackFailure(error: ErrorData): Ending {
  return endingOfError(error, 'loop');
}

/** The goals that the facts reach, where the run claims to be done or all criteria are met early. Facts that break rules amount to nothing. */
export function claimsOf(state: ConvergenceState, rules: Rules, entry: CycleEntry): readonly Ending[] {
  const { cycle, facts } = state;
  const { criteria, rest } = entry;
  if (state.unrepaired.length + violationsIn(state, entry).length > 0) return [];
  if (rules.criteria.length === 0) return rest ? [terminations.converged({ cycles: cycle, facts: facts.length })] : [];
  const required = criteria.filter((verdict) => verdict.required);
  if (allMet(criteria)) return [terminations.criteriaMet({ criteria: required.map(({ id }) => id) })];
  if (!rest) return [];
  const blocked = required.flatMap((verdict) => (verdict.status === 'blocked' ? [verdict] : []));
  const unmet = required.filter(({ status }) => status === 'unmet' || status === 'indeterminate').map(({ id }) => id);
  const failing = unmet.length === 0 ? [] : [terminations.criteriaUnmet({ criteria: unmet })];
  if (blocked.length === 0) return failing;
  const approvalRefs = blocked.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
  const human = terminations.humanInterventionRequired({ criteria: blocked.map(({ id }) => id), approvalRefs });
  return [human, ...failing];
}

/** The circle that the run moves in, if it does, and the budgets that are used up. A circle says more than a budget of the same cycle. */
export function findReachedLimits(
  state: ConvergenceState,
  rules: Rules,
  { awake, held }: CycleEntry,
): readonly Ending[] {
  const { budgets, activeMs, tokens, costUsd, cycle, facts } = state;
  const guessed = state.estimated ? { estimated: true } : {};
  const reached: Ending[] = [];
  if (budgets.timeMs !== undefined && activeMs >= budgets.timeMs)
    reached.push(terminations.timeBudget({ limitMs: budgets.timeMs, elapsedMs: activeMs, scope: 'run' }));
  if (budgets.costUsd !== undefined && costUsd >= budgets.costUsd)
    reached.push(terminations.costBudget({ limitUsd: budgets.costUsd, usedUsd: costUsd, ...guessed }));
  if (budgets.tokens !== undefined && tokens >= budgets.tokens)
    reached.push(terminations.tokenBudget({ limit: budgets.tokens, used: tokens, ...guessed }));
  if (awake.length > 0 && cycle >= budgets.cycles)
    reached.push(terminations.cycleBudget({ limit: budgets.cycles, used: cycle }));
  if (held > 0) reached.push(terminations.factBudget({ limit: budgets.facts ?? facts.length, used: facts.length }));
  if (rules.oscillation === undefined) return reached;
  const circle = circleEndings(state.rounds, rules.oscillation);
  if (circle[0]?.kind === 'loop_detected') return [...reached, ...circle];
  if (circle.length > 0) return [...circle, ...reached];
  return reached.length === 0 ? [] : [...refusedEndings(state.rounds, rules.oscillation), ...reached];
}
