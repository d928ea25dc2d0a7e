import { normalise } from '../../run/unit/normalise.js';
import { checkOptions, invalidOption, positiveLimit, someText, wholeLimit } from '../../stop/check-option.js';
import { type Duration, durationLimit } from '../../stop/duration.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/fullstop-error.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { rootCause } from '../../termination/root-cause.js';
import { suggestion } from '../../termination/suggestion.js';

/** What a resume of a pipeline or a workflow changes in the convergence that ended, or in the one at a path. */
export interface ConvergenceChanges {
  /** Larger budgets; counters go on, so each is the total. */
  readonly budgets?: ConvergenceBudgets;
  /** Facts to add before it goes on. */
  readonly facts?: readonly { readonly key: string; readonly payload: JsonValue }[];
  /** What a person has settled, for criteria that were blocked. */
  readonly settled?: readonly string[];
  readonly note?: string;
}

interface ConvergenceBudgets {
  readonly cycles?: number;
  readonly facts?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly time?: Duration;
}

/** The changes as a convergence reads them from the journal; empty without any. */
export function convergenceChanges(
  { budgets, facts, settled, note }: ConvergenceChanges,
  by: string | undefined,
): JsonObject {
  if (budgets !== undefined) checkBudgets(budgets);
  if (facts !== undefined) checkFacts(facts);
  if (settled !== undefined && !isListOfTexts(settled))
    throw invalidOption(settled, { builder: 'resume', option: 'settled' }, 'a list of references');
  if (note !== undefined) someText(note, { builder: 'resume', option: 'note' });
  if (note !== undefined && settled === undefined)
    throw new FullstopError('INVALID_OPTION', 'resume: a note needs what it settles; name it in settled: [ref].');
  const changes = {
    ...(budgets !== undefined && { budgets }),
    ...(facts !== undefined && { facts }),
    ...(settled !== undefined && { settled: { refs: settled, note, by } }),
  };
  return normalise(changes) as JsonObject;
}

export function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function checkBudgets(budgets: ConvergenceBudgets): void {
  const builder = 'budgets';
  const { cycles, facts, tokens, costUsd, time } = checkOptions(budgets, builder, [
    'cycles',
    'facts',
    'tokens',
    'costUsd',
    'time',
  ]);
  for (const [option, value] of Object.entries({ cycles, facts, tokens }))
    if (value !== undefined) wholeLimit(value, { builder, option });
  if (costUsd !== undefined) positiveLimit(costUsd, { builder, option: 'costUsd' });
  if (time !== undefined) durationLimit(time, { builder, option: 'time' });
}

function checkFacts(facts: readonly unknown[]): void {
  const isFact = (fact: unknown): boolean => isObject(fact) && typeof fact['key'] === 'string' && 'payload' in fact;
  if (Array.isArray(facts) && facts.every(isFact)) return;
  throw invalidOption(
    facts,
    { builder: 'resume', option: 'facts' },
    'a list of facts, as fact(key, payload) makes them',
  );
}

/** Refuses a resume whose convergence would stop at once again, for a budget that is not raised above what is used. */
export function refuseUnchangedBudget({ budgets = {} }: ConvergenceChanges, before: Ending | undefined): void {
  const reached = before === undefined ? undefined : reachedBudget(rootCause(before));
  if (reached === undefined) return;
  const { name, used, isOwn } = reached;
  const wanted = name === 'time' ? timeOf(budgets.time) : budgets[name];
  // The others may be limits of a unit as well, which the run itself looks after.
  if (wanted === undefined ? !isOwn : wanted > used) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The convergence would stop at once: resume it with budgets: { ${name}: … } above ${used}.`,
    { details: { option: `budgets.${name}`, used } },
  );
}

/** Refuses to settle what the convergence that ended does not wait for. */
export function refuseUnasked({ settled = [] }: ConvergenceChanges, before: Ending | undefined): void {
  const cause = before === undefined ? undefined : rootCause(before);
  if (cause?.kind !== 'human_intervention_required') return;
  const known = [...cause.criteria, ...cause.approvalRefs];
  const wrong = settled.find((ref) => !known.includes(ref));
  if (wrong === undefined) return;
  const there = known.map((each) => JSON.stringify(each)).join(', ');
  throw new FullstopError(
    'INVALID_OPTION',
    `resume: settled names ${JSON.stringify(wrong)}, which nobody waits for${suggestion(wrong, known)}; there are ${there}.`,
  );
}

function timeOf(time: Duration | undefined): number | undefined {
  return time === undefined ? undefined : durationLimit(time, { builder: 'budgets', option: 'time' });
}

interface ReachedBudget {
  readonly name: keyof ConvergenceBudgets;
  readonly used: number;
  /** True where only a convergence has this budget. */
  readonly isOwn: boolean;
}

function reachedBudget(cause: AnyTermination): ReachedBudget | undefined {
  switch (cause.kind) {
    case 'cycle_budget':
      return { name: 'cycles', used: cause.used, isOwn: true };
    case 'fact_budget':
      return { name: 'facts', used: cause.used, isOwn: true };
    case 'token_budget':
      return { name: 'tokens', used: cause.used, isOwn: false };
    case 'cost_budget':
      return { name: 'costUsd', used: cause.usedUsd, isOwn: false };
    case 'time_budget':
      return { name: 'time', used: cause.elapsedMs, isOwn: false };
    default:
      return undefined;
  }
}
