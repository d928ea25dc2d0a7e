import type { RunLimits } from '../../run/limits.js';
import type { Ending } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { StageRun } from '../machine/stage-view.js';

/** Says why a stage is not run, or false to run it. */
export type SkipStage<TDone> = (done: TDone) => SkipVerdict | Promise<SkipVerdict>;

type SkipVerdict = false | string | null | undefined;

/** The policy of one stage. All callbacks are asked once: their answers are journalled. */
export interface StageOptions<TDone, TOutput, TSeen = TOutput> {
  /** Asked before everything else. A reason ends the stage as `skipped`. */
  readonly skip?: SkipStage<TDone>;
  /** Called before the work begins. What it throws fails the stage. */
  readonly before?: (done: TDone) => unknown;
  /** Called when everything about the stage is decided, whatever came of it. What it throws fails the stage. */
  readonly after?: (run: StageRun<TSeen>) => unknown;
  /** Looks at work that succeeded: a text says what is wrong and is the `feedback` of the next attempt. */
  readonly validate?: (
    run: Extract<StageRun<TOutput>, { outcome: 'succeeded' }>,
  ) => ValidationVerdict | Promise<ValidationVerdict>;
  /** How often the work may be done until `validate` is content; 1 unless given. Failures are for `retry`. */
  readonly attempts?: number;
  /** Limits for the work, all attempts together; never more than is left of the phase and the pipeline. */
  readonly limits?: RunLimits;
  /** The effect of a failure on the pipeline: it ends ('abort'), or continues without the output ('advisory'). */
  readonly disposition?: 'abort' | 'advisory';
  /** Endings that count as success; they stay what they are. */
  readonly treatAsSuccess?: (termination: AnyTermination) => boolean;
  /** May replace the termination of the stage. The outcome is decided by then, and stays. */
  readonly onCompleted?: (run: StageRun<TSeen>) => CompletedVerdict | Promise<CompletedVerdict>;
}

type ValidationVerdict = string | null | undefined | false;

// biome-ignore lint/suspicious/noConfusingVoidType: a callback that returns nothing keeps the ending.
type CompletedVerdict = Ending | null | undefined | void;

/** Options with which work that failed may count as success: then there may be no output, though the outcome is a success. */
export interface TreatedStageOptions<TDone, TOutput> extends StageOptions<TDone, TOutput, TOutput | undefined> {
  readonly treatAsSuccess: (termination: AnyTermination) => boolean;
}

/** Options with which a stage may have no output. */
export type OutputMayBeMissing<TDone> = { readonly skip: SkipStage<TDone> } | { readonly disposition: 'advisory' };

/** Options of a phase: its limits, and what happens before and after it. */
export interface PhaseOptions<TDone> {
  /** Limits for all stages of the phase together. */
  readonly limits?: SharedLimits;
  /** Called before the first stage of the phase, before any `skip`. What it throws fails the phase. */
  readonly before?: (done: TDone) => unknown;
  /** Called after the last stage, also when a stage failed. What it throws fails the phase. */
  readonly after?: (done: TDone) => unknown;
}

/** Limits for several stages together. Steps are not limited: the pipeline itself takes some. */
export type SharedLimits = Omit<RunLimits, 'steps'>;
