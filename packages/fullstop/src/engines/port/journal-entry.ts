import type { DialectWords } from '../../termination/define-termination.js';
import type { Outcome } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { ConversationPlace } from './conversation-place.js';
import type { StoredEnvelope } from './envelope.js';
import type { OnExpiry, OpenRequest, ReceivedAnswer } from './request.js';
import type { Charge, UnitUsage } from './usage.js';

/** How a step came out. A failure is a value too: what the body sees is what the journal holds. */
export type StepOutcome = StepRecord &
  (
    | { readonly ok: true; readonly value?: JsonValue }
    | {
        readonly ok: false;
        readonly error: ErrorData;
        /** True when a once-step was lost on the way and nobody knows whether its effect happened. */
        readonly outcomeUnknown?: boolean;
        /** Its effect was not performed, because a budget had no room for it: the ending of a unit that has no answer to that. */
        readonly refusal?: AnyTermination;
        /** True when a cancellation stopped it: only its charge counts, and a later segment performs it anew. */
        readonly stopped?: boolean;
      }
  );

interface StepRecord {
  readonly attempts: number;
  readonly charge?: Charge;
  /** Set when a later segment tried a failed step again: the scope then continues here, after what followed the failure. */
  readonly next?: number;
}

/** A run whose journal another one has, up to an entry. */
export interface ForkOrigin {
  readonly runId: string;
  /** The last entry that they have in common. */
  readonly at: number;
  /** The hash of that entry in the older run, on engines with a chain. */
  readonly hash?: string;
  /** Who forked. */
  readonly by?: string;
}

/** The data of each type of entry. */
export interface EntryData {
  run_started: {
    readonly name: string;
    readonly version: string;
    readonly input?: JsonValue;
    readonly options?: JsonObject;
    /** The run that spawned this one. */
    readonly parent?: { readonly runId: string; readonly scope: string };
    /** The turn of a conversation that this run is. */
    readonly conversation?: ConversationPlace;
    /** The runs that this one was forked from, oldest first; the last one is the one that was copied. */
    readonly forkedFrom?: readonly ForkOrigin[];
  };
  segment_opened: {
    readonly from: number;
    readonly because: SegmentCause;
    readonly by?: string;
    readonly options?: JsonObject;
  };
  /** The start of a once-step, committed before its effect. */
  step_started: { readonly attempt: number };
  /** Something that an attempt has started outside, such as a process, so that another one can end it first. */
  step_noted: { readonly attempt: number; readonly note: JsonValue };
  step_ended: StepOutcome;
  /** A callback's result, after the entry that it judges. */
  recorded: StepOutcome;
  sleep_started: { readonly until: number };
  sleep_ended: { readonly until: number };
  request_opened: { readonly request: OpenRequest };
  request_answered: { readonly answer: ReceivedAnswer };
  request_expired: { readonly requestId: string; readonly deadline: number; readonly onExpiry: OnExpiry };
  /** The unit that asked has ended: nobody wants the answer any more. */
  request_withdrawn: { readonly requestId: string };
  /** A unit begins, or continues in a later segment; then the scope of its parent continues at `next`. */
  scope_opened: { readonly name: string; readonly attempt: number; readonly next?: number };
  child_spawned: { readonly runId: string; readonly name: string };
  /**
   * The first failure of a batch stops its other members; some of them had not begun. Cause is how that one failed. `by` is empty where
   * a limit stopped all of them, after a goal was reached: then that is the cause.
   */
  batch_stopped: {
    readonly by: string;
    readonly cause: AnyTermination;
    readonly notStarted: readonly string[];
  };
  /** The units that a machine continued with while others waited for a person. */
  batch_evaluated: { readonly applied: readonly string[] };
  /** Counters, usage and verdicts at an evaluation point: what `why` and `what-if` read. */
  observed: JsonObject;
  emitted: { readonly event: JsonValue };
  cancel_requested: CancelRequest;
  /** The ending of an inline unit: child, stage or step. */
  unit_ended: {
    readonly termination: AnyTermination;
    readonly also?: readonly AnyTermination[];
    readonly output?: JsonValue;
    /** Its usage, where it has no output that says so: it failed, or was ended from outside. */
    readonly used?: UnitUsage;
    /** True for a unit that was stopped with its batch for good: no resume continues it. */
    readonly stopped?: true;
    /** For readers without the definition of a third-party kind. */
    readonly outcome?: Outcome;
    readonly tag?: string;
    readonly dialects?: DialectWords;
  };
  /** The last entry of a segment. */
  segment_ended: { readonly envelope: StoredEnvelope };
}

/** The name of a type of journal entry. */
export type EntryType = keyof EntryData;

/** Why a new segment was opened. */
export type SegmentCause = 'answer' | 'expiry' | 'resume' | 'cancel';

/** Someone wants the run to stop. */
export interface CancelRequest {
  readonly by: 'caller' | 'parent' | 'signal' | 'operator';
  readonly reason?: string;
  /** True to stop at once, without undo steps. */
  readonly hard?: boolean;
}

/** An entry before the engine has given it its place. */
export type EntryDraft<TType extends EntryType = EntryType> = TType extends EntryType
  ? {
      readonly type: TType;
      readonly scope: string;
      /** Counts the operations of a scope; replay finds entries by scope and ordinal. */
      readonly ordinal: number;
      readonly key?: string | undefined;
      readonly at: number;
      readonly data: EntryData[TType];
    }
  : never;

/** One line of a run's journal. */
export type JournalEntry<TType extends EntryType = EntryType> = EntryDraft<TType> & {
  readonly runId: string;
  readonly segment: number;
  readonly seq: number;
  /** SHA-256 over the hash before it and the bytes as stored; absent on engines without a chain. */
  readonly hash?: string;
};
