import { addUsd } from '../../engines/port/money.js';
import type { Charge } from '../../engines/port/usage.js';
import { appendAll } from '../../run/log.js';
import type { MachineObservation } from '../../run/machine/machine.js';
import { assertNever } from '../../termination/assert-never.js';
import { isObject } from '../../termination/json.js';
import type { AnySuggestor, SuggestorOutcome } from '../options/suggestor.js';
import { startMerge } from './apply-cycle.js';
import { makeSuggestorKey } from './convergence-key.js';
import { categoryOf, type UnitOutcome } from './plan.js';
import type { Rules } from './rules.js';
import type { ConvergenceState, Draft, Queued, SuggestorFailure } from './state.js';

/** The key under which a suggestor is asked in this cycle. */
export function suggestorKey({ cycle }: Pick<ConvergenceState, 'cycle'>, rules: Rules, name: string): string {
  const { options } = rules.byName.get(name) as AnySuggestor;
  return 'use' in options ? name : makeSuggestorKey({ cycle, suggestor: name });
}

/** The suggestors of this cycle that have not returned yet. */
export function findMissing(state: ConvergenceState, rules: Rules): readonly string[] {
  const { awake, returned, early } = state;
  if (returned === 0 && early.length === 0) return awake;
  const back = new Set(early.map(({ key }) => key));
  return awake.slice(returned).filter((name) => !back.has(suggestorKey(state, rules, name)));
}

/** Takes in what a suggestor returned. They are heard in the order in which they were asked, so one that overtakes another has to wait. */
export function hearReturned(draft: Draft, rules: Rules, observation: MachineObservation): void {
  if (observation.key !== nextKey(draft, rules)) {
    draft.early = [...draft.early, observation];
    return;
  }
  for (let next: MachineObservation | undefined = observation; next !== undefined; next = takeEarly(draft, rules))
    hear(draft, rules, next);
  if (draft.returned === draft.awake.length) startMerge(draft);
}

/** The key of the suggestor that is to be heard next. */
function nextKey(draft: Draft, rules: Rules): string | undefined {
  const name = draft.awake[draft.returned];
  return name === undefined ? undefined : suggestorKey(draft, rules, name);
}

/** Takes out what was returned early and is to be heard now. */
function takeEarly(draft: Draft, rules: Rules): MachineObservation | undefined {
  if (draft.early.length === 0) return undefined;
  const key = nextKey(draft, rules);
  const found = draft.early.find((each) => each.key === key);
  draft.early = draft.early.filter((each) => each !== found);
  return found;
}

function hear(draft: Draft, rules: Rules, observation: MachineObservation): void {
  const name = draft.awake[draft.returned] as string;
  draft.returned += 1;
  const { outcome, failure } = outcomeOf(rules, { cycle: draft.cycle, suggestor: name }, observation);
  addCharge(draft, outcome?.charge);
  if (failure !== undefined) {
    draft.failures = appendAll(draft.failures, [failure]);
    if (rules.byName.get(name)?.optional !== true || isPaused(rules, failure))
      draft.failed = [...draft.failed, failure];
  }
  const proposals = outcome?.proposals ?? [];
  if (proposals.length > 0)
    draft.incoming = appendAll(
      draft.incoming,
      proposals.map((proposal): Queued => ({ proposal, by: name })),
    );
}

/** A pause is for a person, also where the suggestor is optional. */
function isPaused(rules: Rules, { termination }: SuggestorFailure): boolean {
  return termination !== undefined && categoryOf(rules, termination) === 'paused';
}

interface HeardOutcome {
  readonly outcome?: SuggestorOutcome;
  readonly failure?: SuggestorFailure;
}

function outcomeOf(
  rules: Rules,
  asked: Pick<SuggestorFailure, 'cycle' | 'suggestor'>,
  observation: MachineObservation,
): HeardOutcome {
  switch (observation.type) {
    case 'value': {
      const outcome = observation.value as unknown as SuggestorOutcome;
      const { refused } = outcome;
      return refused === undefined ? { outcome } : { outcome, failure: { ...asked, refused } };
    }
    case 'unit': {
      const { termination, output } = observation.result;
      const outcome = isObject(output) ? (output as unknown as UnitOutcome) : undefined;
      if (categoryOf(rules, termination) === 'success') return outcome === undefined ? {} : { outcome };
      const path = outcome === undefined ? {} : { path: outcome.path };
      return { ...(outcome !== undefined && { outcome }), failure: { ...asked, termination, ...path } };
    }
    case 'error':
      return { failure: { ...asked, error: observation.error } };
    case 'answer':
    case 'slept':
    case 'not_started':
      return {};
    default:
      return assertNever('Unknown observation', observation);
  }
}

function addCharge(draft: Draft, charge: Charge | undefined): void {
  if (charge === undefined) return;
  draft.tokens += (charge.inputTokens ?? 0) + (charge.outputTokens ?? 0);
  draft.costUsd = addUsd(draft.costUsd, charge.costUsd ?? 0);
  if (charge.estimated === true) draft.estimated = true;
}
