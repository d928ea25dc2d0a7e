import type { Ending } from '../termination/ending.js';
import type { JsonObject, JsonValue } from '../termination/json.js';
import type { BudgetPressure } from '../termination/kinds/limit.js';
import type { AnyTermination, BuiltInKinds, TerminationKinds } from '../termination/kinds.js';
import type { LoopObservation, LoopView } from './observation.js';
import type { ConditionSlot } from './slots.js';

/** The termination of a kind; of a third-party kind that is not merged, only the kind is known. */
export type EndingOfKind<TKind extends string> = TKind extends keyof BuiltInKinds
  ? BuiltInKinds[TKind]
  : TKind extends keyof TerminationKinds
    ? Extract<AnyTermination, { readonly kind: TKind }>
    : Ending<TKind>;

/**
 * A rule that may end a run, as a pure fold over observations: replay and what-if need no user code.
 * `TKind` are the kinds that it can end a run with; a list without them, `StopCondition[]`, allows every known kind.
 */
export interface StopCondition<out TKind extends string = keyof TerminationKinds> {
  /** Unique within a list; a condition of the same name replaces this one on resume, except for what that leaves open. */
  readonly name: string;
  /** At run time what `TKind` is in the types. */
  readonly kinds: readonly TKind[];
  readonly slot: ConditionSlot;
  readonly fold: ConditionFold<TKind>;
  /** The limits that the loop has to enforce while a call is in flight. */
  readonly limits?: InFlightLimits;
  /** How much of a response's text has to be in the observation. */
  readonly reads?: 'whole' | 'tail';
  /** True when the beginnings of results are part of its evidence. */
  readonly showsResults?: boolean;
  /** True when the state starts anew once the run is resumed after this condition ended it. */
  readonly restarts: boolean;
  /** Why other settings of it cannot be tried on a recorded run: what the model saw would have been different. */
  readonly steers?: string;
  /** Asks the user's code. The verdict is journalled in the observation, where the fold finds it. */
  readonly evaluateAsync?: (view: LoopView) => Promise<EndingOfKind<TKind> | undefined>;
  /** This condition with the options that it leaves open from the one of the same name that it replaces. */
  readonly completeWith?: ((old: JsonObject) => StopCondition<TKind>) | undefined;
  toJSON(): JsonObject;
}

/** The state is plain JSON, so that it can be kept and compared. */
export interface ConditionFold<out TKind extends string> {
  init(): JsonValue;
  /** Absent where there is nothing to remember from one observation to the next. */
  observe?(state: JsonValue, observation: LoopObservation, peers: readonly StopCondition<string>[]): JsonValue;
  evaluate(state: JsonValue, observation: LoopObservation): EndingOfKind<TKind> | undefined;
  /** The goal that is reached although `evaluate` still waits for the round to finish; it wins over any limit. */
  reached?(state: JsonValue): EndingOfKind<TKind> | undefined;
  /** The budget that is nearly used up, so that the loop has to wrap up. */
  pressure?(state: JsonValue): ConditionPressure | undefined;
}

/** A budget that is nearly used up, and the part of it from which on that is so. */
export type ConditionPressure = Pick<BudgetPressure, 'resource' | 'threshold'>;

/** Limits that cannot wait for the next evaluation point. */
export interface InFlightLimits {
  readonly runMs?: number;
  readonly iterationMs?: number;
  /** Infinite where it is turned off. */
  readonly modelMs?: number;
  readonly toolMs?: number;
  readonly costUsd?: number;
  readonly tokens?: number;
  /** Calls of a response beyond this total are not made. */
  readonly toolCalls?: number;
}

/** A condition as its builder describes it, with the type that its state really has. */
export interface ConditionDefinition<TKind extends string, TState>
  extends Pick<
    StopCondition<TKind>,
    'kinds' | 'slot' | 'limits' | 'reads' | 'showsResults' | 'steers' | 'evaluateAsync' | 'completeWith'
  > {
  /** The type and the options, as JSON has them. */
  readonly json: JsonObject & { readonly type: string };
  /** The type in its JSON unless given. */
  readonly name?: string;
  readonly restarts?: boolean;
  readonly init?: () => TState;
  observe?(state: TState, observation: LoopObservation, peers: readonly StopCondition<string>[]): TState;
  evaluate(state: TState, observation: LoopObservation): EndingOfKind<TKind> | undefined;
  reached?(state: TState): EndingOfKind<TKind> | undefined;
  pressure?(state: TState): ConditionPressure | undefined;
}

/**
 * Makes a condition; one that needs no state has null. All have the same members, undefined or not: they are asked in one
 * loop at every point, and objects of different shapes would take most of its time.
 */
export function defineCondition<TKind extends string, TState = null>(
  definition: ConditionDefinition<TKind, TState>,
): StopCondition<TKind> {
  const { json, slot } = definition;
  const fold: Record<keyof ConditionFold<TKind>, unknown> = {
    init: definition.init ?? (() => null),
    observe: definition.observe,
    evaluate: definition.evaluate,
    reached: definition.reached,
    pressure: definition.pressure,
  };
  const condition: Record<keyof StopCondition<TKind>, unknown> = {
    name: definition.name ?? json.type,
    kinds: definition.kinds,
    slot,
    fold,
    limits: definition.limits,
    reads: definition.reads,
    showsResults: definition.showsResults,
    restarts: definition.restarts ?? slot === 'detector',
    steers: definition.steers,
    evaluateAsync: definition.evaluateAsync,
    completeWith: definition.completeWith,
    toJSON: () => json,
  };
  // The states of different conditions lie in one record, so outside of its own fold a state is just JSON.
  return condition as unknown as StopCondition<TKind>;
}
