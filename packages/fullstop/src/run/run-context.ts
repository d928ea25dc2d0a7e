import type { Clock } from '../engines/port/clock.js';
import type { AbortSignalLike } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import type { ProviderGate } from '../engines/port/provider-gate.js';
import type { ReceivedAnswer, RunRequest } from '../engines/port/request.js';
import type { Charge, UnitUsage } from '../engines/port/usage.js';
import type { Ending } from '../termination/ending.js';
import type { JsonValue } from '../termination/json.js';
import type { AnyTermination } from '../termination/kinds.js';
import type { LedgerView } from './accounts/ledger.js';
import type { RunLimits } from './limits.js';
import type { RetryPolicy } from './retry.js';

/** One attempt of a step, as its effect sees it. */
export interface StepAttempt {
  /** 1 for the first. */
  readonly attempt: number;
  /** The same for every attempt and after every crash: pass it to services that can recognise repeats. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignalLike;
  /** The clock of the engine, for waits inside the effect. */
  readonly clock: Clock;
  /** The limits of providers of models, where the engine has some: whoever calls a model asks for a turn first. */
  readonly providers?: ProviderGate | undefined;
  /** The notes of attempts before a crash, first to last. */
  readonly notes: readonly JsonValue[];
  /** Commits a note about what this attempt has started outside, such as a process; after a crash the next attempt finds it. */
  note(note: JsonValue): Promise<void>;
  /** Books what this step costs; it counts when the step's entry is written, whatever comes of the step. */
  charge(charge: Charge): void;
  /** Puts the values of secrets back into JSON or text. Only for the call itself: what the step returns is sealed again. */
  unseal<T>(value: T): T;
}

/** Options of a step: retries, limits, and whether it may happen only once. */
export interface StepOptions {
  /** At most once: its start is committed before the effect, and a lost outcome is `outcomeUnknown` instead of a repeat. */
  readonly once?: boolean;
  readonly retry?: RetryPolicy;
  /** The step fails when an attempt takes longer. */
  readonly timeoutMs?: number;
  /** The most that the effect may use. When it does not fit a budget, the step fails before its effect, with the limit in `refusal`. */
  readonly reserve?: Charge;
  /** Shown to a person who has to say what became of a once-step; its key by default. */
  readonly about?: { readonly tool: string; readonly input?: JsonValue };
}

/** How a unit ended. */
export interface UnitResult<TEnding extends Ending = AnyTermination> {
  readonly termination: TEnding;
  readonly also: readonly AnyTermination[];
  readonly output?: JsonValue;
  /** Its usage, where it has no output: it failed, or was ended from outside. */
  readonly used?: UnitUsage;
  /** Why the run cannot be resumed although its ending is open. */
  readonly notResumable?: string;
}

/** The result of a body: a termination, or one with an output. */
export type BodyResult = Ending | RunEnd<Ending>;

/** A termination together with the output of the run. */
export interface RunEnd<TEnding extends Ending> {
  readonly termination: TEnding;
  readonly output?: unknown;
  readonly also?: readonly Ending[];
  /** Why the run cannot be resumed although its ending is open. */
  readonly notResumable?: string;
}

/** Options of an inline child of a run. */
export interface ChildOptions {
  readonly limits?: RunLimits;
}

/** A run that was started on its own. */
export interface SpawnedRun {
  readonly runId: string;
  /** Waits for its ending. */
  ending(): Promise<Envelope>;
}

/** Options of a run that is spawned. */
export interface SpawnOptions {
  readonly runId?: string;
  /** Leaves it to a worker that takes it from a queue, where the engine has queues; else it is executed here unless a worker is quicker. */
  readonly spawn?: 'queue';
}

/** The part of a definition that spawning needs. */
export interface Spawnable {
  readonly name: string;
  readonly version: string;
}

/**
 * The world of a body. Everything that is not a pure computation goes through it and is journalled; a body that awaits
 * anything else may be dropped and started again from the journal.
 */
export interface RunContext {
  readonly runId: string;
  readonly version: string;
  /** The path of this unit, empty for the run itself. */
  readonly scope: string;
  readonly segment: number;
  /** Aborted when the unit is cancelled or ends. Made when it is first read. */
  readonly signal: AbortSignalLike;
  readonly ledger: LedgerView;
  /** Performs an effect and journals its outcome; a failure is thrown as `StepFailed`. */
  step<T>(key: string, effect: (attempt: StepAttempt) => T | Promise<T>, options?: StepOptions): Promise<T>;
  /** Asks a callback once and keeps its answer. */
  record<T>(key: string, callback: () => T | Promise<T>): Promise<T>;
  /** Asks someone outside. The run pauses when nothing else is left to do. */
  wait(request: RunRequest): Promise<ReceivedAnswer>;
  sleep(key: string, milliseconds: number): Promise<void>;
  /** The greatest time among the entries that this unit has seen: the same on every replay. */
  now(): number;
  /** An id that is the same on every replay. */
  uuid(): string;
  /** A unit inside this run: same journal, its own ending, its own limits within ours. */
  child(name: string, body: (context: RunContext) => Promise<BodyResult>, options?: ChildOptions): Promise<UnitResult>;
  /** A run of its own, which may be executed elsewhere. */
  spawn(definition: Spawnable, input?: JsonValue, options?: SpawnOptions): Promise<SpawnedRun>;
  /** Registers an undo step for when this unit is cancelled: performed once, last registered first. */
  onCancel(key: string, undo: (attempt: StepAttempt) => unknown): void;
  /** Notifies listeners of something; it is in the journal, but nothing depends on it. */
  emit(event: JsonValue): void;
}
