import type { TokenUsage } from '../../engines/port/usage.js';
import type { Category, Ending, Outcome } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { ExecutorEnding } from './stage-view.js';

/** The result of a planned stage; every one has a termination, also if it was never reached. */
export interface StageResult<TOutput = unknown, TEnding extends Ending = AnyTermination> {
  readonly name: string;
  readonly phase?: string;
  /** Its place among all stages, from 0. */
  readonly index: number;
  /** The verdict that the pipeline acted on. */
  readonly outcome: Outcome;
  readonly termination: TEnding;
  /** Other causes at the same point. */
  readonly also: readonly AnyTermination[];
  readonly category: Category;
  /** The low-cardinality word for dashboards. */
  readonly tag: string;
  /** How the work itself ended; absent if it was never begun. */
  readonly executor?: ExecutorEnding;
  readonly output?: TOutput;
  /** How often the work was done until `validate` was content; 0 if it was never begun. */
  readonly attempts: number;
  readonly usage: TokenUsage;
  /** Null when a price is not known. */
  readonly costUsd: number | null;
  /** True when some of the usage was guessed, because a provider did not report it. */
  readonly estimated?: boolean;
  /** From its beginning to its ending, without the times when the run was paused. */
  readonly durationMs: number;
}
