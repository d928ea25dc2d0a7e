import type { ReceivedAnswer, RunRequest } from '../../engines/port/request.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { RunLimits } from '../limits.js';
import type { RunContext, StepAttempt, StepOptions, UnitResult } from '../run-context.js';

/**
 * Something that a machine wants done. Its key is unique among those under way; a request that is open and a unit that
 * waits for a person may be asked for again, which changes nothing.
 */
export type MachineEffect<TPlan> =
  | {
      readonly type: 'step';
      readonly key: string;
      readonly plan: TPlan;
      readonly options?: StepOptions;
      /** True when the performer returns nothing but JSON and the key is one that every store keeps, so that neither is checked again. */
      readonly isJson?: boolean;
      /** True when the effect makes do with less than it reserves. What is left is set aside for it then, and only a limit that is used up refuses it. */
      readonly isShrinkable?: boolean;
      /** True when the performer says by `begin` when the effect begins: a stop of the batch before that keeps it from starting. */
      readonly beginsLater?: boolean;
    }
  | { readonly type: 'record'; readonly key: string; readonly plan: TPlan }
  | { readonly type: 'request'; readonly key: string; readonly request: RunRequest }
  | { readonly type: 'sleep'; readonly key: string; readonly milliseconds: number }
  | {
      readonly type: 'unit';
      readonly key: string;
      readonly plan: TPlan;
      readonly limits?: RunLimits;
      /** True when its ending becomes that of the machine: a resume then continues it, as long as it may be resumed. */
      readonly takesOver?: boolean;
    };

/** Reads from a value why the rest of its batch is to stop. Pure, since a replay reads it again. */
export type StopAt = (value: JsonValue | undefined) => AnyTermination | undefined;

/** The result of an effect, as the machine sees it. */
export type MachineObservation =
  | { readonly type: 'value'; readonly key: string; readonly value: JsonValue | undefined; readonly at: number }
  | {
      readonly type: 'error';
      readonly key: string;
      readonly error: ErrorData;
      readonly outcomeUnknown: boolean;
      /** The limit that had no room for what the step may use; its effect was not performed. */
      readonly refusal?: AnyTermination;
      readonly at: number;
    }
  | { readonly type: 'answer'; readonly key: string; readonly answer: ReceivedAnswer; readonly at: number }
  | { readonly type: 'slept'; readonly key: string; readonly at: number }
  | { readonly type: 'unit'; readonly key: string; readonly result: UnitResult; readonly at: number }
  /** A member of a batch with `failFast` that another one's failure kept from beginning (or cut short, if a sleep). */
  | { readonly type: 'not_started'; readonly key: string; readonly at: number };

/**
 * The next thing a machine wants. `wait` says that only what is under way can bring it further. It is asked again when
 * everything under way has an observation or waits for a person; what waits has none yet, and may still be under way then.
 */
export type MachineDecision<TPlan> =
  | {
      readonly type: 'perform';
      readonly effects: readonly MachineEffect<TPlan>[];
      /** How many steps and units of these may work at once; one that waits for a person lets another begin. */
      readonly concurrency?: number;
      /**
       * The first step that fails, or unit whose outcome is failed, stops the others: steps under way return an error
       * with the code BATCH_STOPPED, units end as cancelled by their parent, and what has not begun never does. Records and
       * requests continue.
       */
      readonly failFast?: boolean;
      /**
       * The ending in the value of a step or record that stops the others in the same way, and what waits from an earlier
       * decision too; undefined for any other value. No resume undoes it.
       */
      readonly stopAt?: StopAt;
      /** True when a goal is reached with these, whatever comes of them: a limit of the unit then stops even a single step. */
      readonly isDecided?: boolean;
      /** True when requests under way that are not among the effects are no longer needed: they are withdrawn. */
      readonly withdraw?: boolean;
      /** The causes known at a point that is not over: in `also` of the ending, if the run pauses there. */
      readonly also?: readonly Ending[];
    }
  | { readonly type: 'wait'; readonly also?: readonly Ending[] }
  | {
      readonly type: 'end';
      readonly withdraw?: boolean;
      readonly termination: Ending;
      readonly also?: readonly Ending[];
      readonly output?: JsonValue;
      /** Why the run cannot be resumed although its ending is open. */
      readonly notResumable?: string;
    };

/** The answer of a machine when a limit is about to end its unit from outside. */
export type AtLimit =
  /** It has reached a goal. What is under way is stopped, and the machine comes to its ending. */
  | { readonly type: 'stop'; readonly reached: Ending }
  /** It ends at once, with another ending than the limit. */
  | { readonly type: 'end'; readonly termination: Ending; readonly also: readonly Ending[] };

/** The beginning of a later segment in the fold of a unit. */
export interface SegmentOpening {
  readonly segment: number;
  readonly seq: number;
  readonly at: number;
  /** The options of the resume. */
  readonly options: JsonObject;
  /** How the segment before ended. */
  readonly ending: Ending | undefined;
  /** The ordinal of the last operation that the unit had written before. */
  readonly reach: number;
}

/**
 * The journal beyond the point that a fold has reached: how the run continued there, whatever the options of today say. Empty where
 * the run is at its front.
 */
export interface MachinePast {
  /** True where the run is at its front: there is nothing to look up. */
  isOver(): boolean;
  /** The observation that was journalled at the next place, or so many places after it. */
  observed(ahead: number): JsonObject | undefined;
  /** The keys of the operations that follow, up to the one with this key; `isOver` when that one is there. */
  keysBefore(last: string): { readonly keys: ReadonlySet<string>; readonly isOver: boolean };
  /** How many places after the next one the operation with this key is; undefined where there is none. */
  placeOf(key: string): number | undefined;
  /** How the segment ended that a later one has continued. */
  ending(): Ending | undefined;
}

/** A body as a fold: both functions are pure, and `decide` reads nothing but its state. */
export interface Machine<TState, TPlan, TInput> {
  /** Called first. What was decided in the past stands, even if the machine would decide otherwise by now. */
  recall?(past: MachinePast): void;
  init(input: TInput): TState;
  decide(state: TState): MachineDecision<TPlan>;
  apply(state: TState, observation: MachineObservation): TState;
  /** Everything that came together was applied: the place to draw conclusions that need all of it. */
  settle?(state: TState): TState;
  /** Asked before a limit ends the unit from outside, with what has come of the effects under way; undefined where the limit is the ending. */
  atLimit?(state: TState, limit: Ending, come: readonly MachineObservation[]): AtLimit | undefined;
  /** The effects under way were stopped by a limit, since the machine had reached a goal. Their observations follow. */
  stoppedAt?(state: TState, limit: Ending): TState;
  /** Nobody worked for so long before the next observation: the run waited for people, or had no owner. */
  idle?(state: TState, milliseconds: number): TState;
  /** The counters and verdicts at the evaluation points since the last time, for `why` and `what-if`; undefined where there is none. */
  observe?(state: TState): JsonObject | readonly JsonObject[] | undefined;
  /** Continues after an ending, where the journal has the opening of the next segment. Without it a machine that ended ends again. */
  resume?(state: TState, opening: SegmentOpening): TState;
}

/** The impure side of a machine: carries out its plans. */
export interface MachinePerformer<TPlan> {
  /** Performs a step; `begin` is for steps that begin later than they are performed. */
  step?(plan: TPlan, attempt: StepAttempt, begin: () => void): unknown;
  record?(plan: TPlan): unknown;
  unit?(plan: TPlan, context: RunContext): Promise<UnitResult>;
}
