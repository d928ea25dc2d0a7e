import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { RunRequest } from '../../engines/port/request.js';
import type { Cause } from '../../stop/slots.js';
import type { JsonValue } from '../../termination/json.js';
import type { ForeignCause, ForeignContinuation, ForeignStep } from './foreign-event.js';

/** A framework as the core sees it: one call that is listened to. */
export interface Framework<TResult> {
  /** The name of the framework, for the journal. */
  readonly name: string;
  /** Makes the call. It reports its steps, and says in the end what came of it; it never rejects. */
  call(start: ForeignStart<TResult>): Promise<ForeignOutcome<TResult>>;
}

/** Everything that a framework needs to make its call. */
export interface ForeignStart<TResult> {
  /** The only signal of the call: aborted when the run is cancelled or out of time. */
  readonly signal: AbortSignalLike;
  /** Set when the call continues an earlier one. */
  readonly continuation: ForeignContinuation | undefined;
  /** Reports a step; true when the framework is to stop there. */
  step(step: ForeignStep, causes?: readonly ForeignCause[]): Promise<boolean>;
  /** Hands the result of a call that streams to whoever waits for it. */
  handOver(result: TResult): void;
  /** True when the run was told to stop: whatever the framework throws from now on is a consequence. */
  isStopped(): boolean;
}

/** The outcome of a call. */
export type ForeignOutcome<TResult> = {
  /** The framework's own result, untouched. */
  readonly result?: TResult | undefined;
  /** Whatever the framework threw, untouched. */
  readonly thrown?: { readonly error: unknown } | undefined;
  /** The framework's own words for where it continues. */
  readonly place?: JsonValue | undefined;
  /** Why the framework cannot continue from there. */
  readonly notResumable?: string | undefined;
} & (
  | { readonly type: 'settled'; readonly causes: readonly Cause[]; readonly output?: JsonValue | undefined }
  | { readonly type: 'waiting'; readonly requests: readonly RunRequest[] }
);
