import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject } from '../termination/json.js';
import type { BudgetPressure } from '../termination/kinds/limit.js';
import { suggestion } from '../termination/text/suggestion.js';
import { invalidOption } from './check-option.js';
import type { StopCondition } from './condition.js';
import { budgetPressureOf, evaluateConditions } from './evaluate.js';
import type { ConditionStates, LoopObservation } from './observation.js';

/** How a resume changes the conditions of a run. */
export interface ConditionChange<TKind extends string> {
  /** One of the same name replaces, a new one is appended. What the new one leaves open, such as the other scopes of a timeout, stays. */
  readonly stopWhen?: readonly StopCondition<TKind>[];
  /** Conditions to leave out, by name or, for all of that builder, by builder. */
  readonly without?: readonly string[];
}

/** One condition, or several, as a list. What is neither is left for the check. */
export function listOf<TKind extends string>(
  given: StopCondition<TKind> | readonly StopCondition<TKind>[],
): readonly StopCondition<TKind>[] {
  return isCondition(given) ? [given] : (given as readonly StopCondition<TKind>[]);
}

/** Refuses what is no list of conditions, and a list in which two conditions have the same name: which one holds would be a guess. */
export function checkConditions<TKind extends string>(
  conditions: readonly StopCondition<TKind>[],
): readonly StopCondition<TKind>[] {
  if (!Array.isArray(conditions))
    throw invalidOption(
      conditions,
      { builder: 'stopWhen', option: '' },
      'a condition, such as maxIterations(20), or a list of them',
    );
  const places = new Map<string, number>();
  for (const [place, condition] of conditions.entries()) {
    if (!isCondition(condition)) throw noCondition(condition, place);
    const { name } = condition;
    const first = places.get(name);
    if (first !== undefined) {
      const message = `${name} is already at [${first}]`;
      throw new FullstopError(
        'INVALID_OPTION',
        `Two stop conditions are named ${name}, at [${first}] and [${place}]. Keep one, or replace it with mergeConditions.`,
        { issues: [{ code: 'invalid', path: `[${place}]`, message }] },
      );
    }
    places.set(name, place);
  }
  return conditions;
}

function isCondition(value: unknown): value is StopCondition<string> {
  return (
    isObject(value) && typeof value['name'] === 'string' && isObject(value['fold']) && Array.isArray(value['kinds'])
  );
}

function noCondition(value: unknown, place: number): FullstopError {
  const made =
    'made with a builder, such as maxIterations(20), or stopCondition(name, (view) => …) for one of your own';
  return invalidOption(value, { builder: 'stopWhen', option: `[${place}]` }, made);
}

/** The conditions that hold after a resume. */
export function mergeConditions<TKind extends string, TNewKind extends string = never>(
  old: readonly StopCondition<TKind>[],
  change: ConditionChange<TNewKind>,
): readonly StopCondition<TKind | TNewKind>[] {
  const { stopWhen = [], without = [] } = change;
  for (const name of without) if (!old.some((condition) => isNamed(condition, name))) throw unknownName(name, old);
  const replacements = new Map(checkConditions(stopWhen).map((condition) => [condition.name, condition]));
  const kept = old.filter((condition) => !without.some((name) => isNamed(condition, name)));
  const merged = kept.map((condition) => replace(condition, replacements.get(condition.name)));
  const names = new Set(kept.map(({ name }) => name));
  return [...merged, ...stopWhen.filter(({ name }) => !names.has(name))];
}

function replace<TKind extends string, TNewKind extends string>(
  old: StopCondition<TKind>,
  next: StopCondition<TNewKind> | undefined,
): StopCondition<TKind | TNewKind> {
  return next === undefined ? old : (next.completeWith?.(old.toJSON()) ?? next);
}

/**
 * The states for the next segment, given what ended the last one (the losers too): detectors that fired start with an
 * empty window, counters continue. States of conditions that are gone are dropped.
 */
export function resetAfterResume(
  conditions: readonly StopCondition<string>[],
  states: ConditionStates,
  endings: readonly Ending[],
): ConditionStates {
  const ended = new Set(endings.map(({ kind }) => kind));
  const { names = [], values = [] } = states;
  const kept = conditions.filter(
    ({ name, restarts, kinds }) => names.includes(name) && !(restarts && kinds.some((kind) => ended.has(kind))),
  );
  return { names: kept.map(({ name }) => name), values: kept.map(({ name }) => values[names.indexOf(name)] ?? null) };
}

/**
 * The endings that would stop a resumed run at its first evaluation, before anything new happened; such a resume is refused with
 * `LIMIT_UNCHANGED`. Takes the merged conditions, the states after `resetAfterResume` and the latest observation.
 */
export function firesAtOnce(
  conditions: readonly StopCondition<string>[],
  states: ConditionStates,
  observation: LoopObservation,
): readonly Ending[] {
  // What belongs to the point where the run stopped is folded already; only the totals are still there.
  const {
    text: _t,
    calls: _c,
    finalization: _f,
    verdicts: _v,
    iterationTokens: _i,
    states: _s,
    ...totals
  } = observation;
  // A goal that is reached is no limit: continuing just to conclude with it is right.
  const limits = conditions.filter(({ slot }) => slot !== 'goal' && slot !== 'custom');
  const { states: next, winner, also } = evaluateConditions(limits, states, { ...totals, point: 'before_call' });
  // A wrap-up that was broken off is still to be made; only one that would be made once more changes nothing.
  const pressure = budgetPressureOf(limits, states) === undefined ? budgetPressureOf(limits, next) : undefined;
  const endings: Ending[] = winner === undefined ? [] : [winner, ...also];
  if (pressure === undefined) return endings;
  const again: BudgetPressure = { kind: 'budget_pressure', ...pressure, finalized: false };
  return [...endings, again];
}

function isNamed(condition: StopCondition<string>, name: string): boolean {
  return condition.name === name || condition.toJSON()['type'] === name;
}

function unknownName(name: string, conditions: readonly StopCondition<string>[]): FullstopError {
  const known = conditions.map((condition) => condition.name);
  return new FullstopError(
    'INVALID_OPTION',
    `without: the run has no stop condition ${JSON.stringify(name)}${suggestion(name, known)}; it has ${known.join(', ') || 'none'}.`,
  );
}
