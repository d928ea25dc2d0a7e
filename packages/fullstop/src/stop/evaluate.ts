import type { Ending } from '../termination/ending.js';
import type { JsonValue } from '../termination/json.js';
import type { ConditionPressure, EndingOfKind, StopCondition } from './condition.js';
import type { ConditionStates, LoopObservation } from './observation.js';
import { type Cause, isBelowGoal, isGoal, orderCauses } from './slots.js';

/** The result of one evaluation point. */
export interface Evaluation<TEnding extends Ending = Ending> {
  readonly states: ConditionStates;
  /** The ending of the run; absent when it continues. */
  readonly winner?: TEnding;
  /** True when it is a goal of the run. */
  readonly isGoal?: boolean;
  /** The causes that lost, in the order in which they would have won. */
  readonly also: readonly TEnding[];
}

/**
 * Folds an observation into the states and weighs what fired, together with the loop's own causes at this point.
 * Order: engine failure, cancelled, error of the step, requests, halted, verdicts that forbid the result, goals, hard budgets,
 * detectors, caps, custom.
 */
export function evaluateConditions<TKind extends string, TOwn extends Ending = never>(
  conditions: readonly StopCondition<TKind>[],
  states: ConditionStates,
  observation: LoopObservation,
  ownCauses: readonly Cause<TOwn>[] = [],
): Evaluation<EndingOfKind<TKind> | TOwn> {
  let causes: Cause<Ending>[] | undefined;
  const { names, values } = inOrder(conditions, states);
  let changed: JsonValue[] | undefined;
  for (let index = 0; index < conditions.length; index += 1) {
    const condition = conditions[index] as StopCondition<TKind>;
    const { fold } = condition;
    const before = values[index] as JsonValue;
    let state = before;
    if (fold.observe !== undefined) {
      state = fold.observe(before, observation, conditions);
      if (state !== before) {
        changed ??= values.slice();
        changed[index] = state;
      }
    }
    const termination = fold.evaluate(state, observation) as Ending | undefined;
    if (termination !== undefined) {
      causes ??= [...ownCauses];
      causes.push({ slot: slotOf(condition, observation), termination });
    }
  }
  const next = changed === undefined ? states : { names, values: changed };
  const found: readonly Cause<Ending>[] = causes ?? ownCauses;
  if (found.length === 0) return { states: next, also: none };
  return decide(conditions, next, found) as Evaluation<EndingOfKind<TKind> | TOwn>;
}

/** The rank of a condition. A custom one whose verdict forbids or holds the result stands over a goal of the same point. */
function slotOf({ name, slot }: StopCondition<string>, { forbidding }: LoopObservation): Cause['slot'] {
  return forbidding?.includes(name) === true ? 'forbidden' : slot;
}

function decide(
  conditions: readonly StopCondition<string>[],
  states: ConditionStates,
  causes: readonly Cause[],
): Evaluation {
  const ordered = orderCauses([...causes, ...unfinishedGoals(conditions, states, causes)]);
  const [first, ...others] = ordered as readonly [Cause, ...Cause[]];
  const also = others.map(({ termination }) => termination);
  return { states, winner: first.termination, isGoal: isGoal(first), also };
}

const none: readonly never[] = [];

/** The budget under pressure, if any; the loop then makes one finalization iteration. */
export function budgetPressureOf(
  conditions: readonly StopCondition<string>[],
  states: ConditionStates,
): ConditionPressure | undefined {
  for (const condition of conditions) {
    const pressure = condition.fold.pressure?.(stateOf(condition, states));
    if (pressure !== undefined) return pressure;
  }
  return undefined;
}

/** The kinds that the conditions can end a run with: the runtime twin of their type. */
export function conditionKinds<TKind extends string>(conditions: readonly StopCondition<TKind>[]): readonly TKind[] {
  return [...new Set(conditions.flatMap(({ kinds }) => kinds))];
}

/** True when a goal is reached that only waits for its round to finish. */
export function isGoalWaiting(conditions: readonly StopCondition<string>[], states: ConditionStates): boolean {
  return conditions.some((condition) => condition.fold.reached?.(stateOf(condition, states)) !== undefined);
}

/** A goal that only waits for its round to finish is reached: no limit may end the run in its place, and a verdict forbids it. */
function unfinishedGoals(
  conditions: readonly StopCondition<string>[],
  states: ConditionStates,
  causes: readonly Cause[],
): readonly Cause[] {
  if (!causes.every((cause) => cause.slot === 'forbidden' || isBelowGoal(cause))) return [];
  return conditions.flatMap((condition) => {
    const termination = condition.fold.reached?.(stateOf(condition, states));
    return termination === undefined ? [] : [{ slot: condition.slot, termination: termination as Ending }];
  });
}

/** The states that the conditions of a list begin with: most lists have nothing to remember, and are weighed three times an iteration. */
const beginnings = new WeakMap<readonly StopCondition<string>[], Required<ConditionStates>>();

/** The states in the order of the conditions, which they do not have at the start and after a resume that changed the conditions. */
function inOrder(conditions: readonly StopCondition<string>[], states: ConditionStates): Required<ConditionStates> {
  if (isInOrder(conditions, states)) return states;
  const isBeginning = states.names === undefined;
  const known = isBeginning ? beginnings.get(conditions) : undefined;
  if (known !== undefined) return known;
  const ordered: Required<ConditionStates> = {
    names: conditions.map(({ name }) => name),
    values: conditions.map((condition) => stateOf(condition, states)),
  };
  if (isBeginning) beginnings.set(conditions, ordered);
  return ordered;
}

/** True when the states have the order of the conditions already. */
function isInOrder(
  conditions: readonly StopCondition<string>[],
  states: ConditionStates,
): states is Required<ConditionStates> {
  const { names } = states;
  if (names === undefined || names.length !== conditions.length) return false;
  for (let index = 0; index < names.length; index += 1) if (names[index] !== conditions[index]?.name) return false;
  return true;
}

function stateOf({ name, fold }: StopCondition<string>, { names, values }: ConditionStates): JsonValue {
  const index = names === undefined ? -1 : names.indexOf(name);
  return index === -1 ? fold.init() : (values?.[index] ?? null);
}
