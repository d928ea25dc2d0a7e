import type { RunContext } from '../../run/run-context.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import type { ChildReference } from '../../termination/kinds/error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import type { ExecutorDetails } from '../machine/stage-view.js';
import type { WorkRules } from './work-rules.js';

/** The context of a stage, besides the results of earlier stages. */
export interface StageCall {
  /** The world of this stage: steps, waits, children. What a stage does through it is journalled. */
  readonly context: RunContext;
  /** 1 for the first. */
  readonly attempt: number;
  /** The reason that `validate` gave for refusing the attempt before. */
  readonly feedback?: string;
}

/** The output of work that may return a termination instead: then there is none. */
export type WorkOutput<TReturned> = TReturned extends AnyTermination ? undefined : TReturned;

/** Work as a plain function: what it returns is the output, or the termination of the stage; what it throws is `failed` with origin `stage`. */
export type StageFunction<TDone, TOutput> = (done: TDone, stage: StageCall) => TOutput | Promise<TOutput>;

/** The call of an executor. */
export interface ExecutorCall<TDone> extends StageCall {
  /** The name of the stage. */
  readonly stage: string;
  readonly done: TDone;
  /** The kinds that the pipeline knows. */
  readonly registry: TerminationRegistry;
  /** True where callbacks of the stage look at the details of the work. */
  readonly keepsDetails?: boolean;
}

/** The result of an executor. */
export interface ExecutorResult {
  readonly termination: Ending;
  readonly also?: readonly Ending[];
  readonly output?: unknown;
  /** The units inside that the ending comes from, outermost first: a resume continues them. */
  readonly links?: readonly ChildReference[];
  /** How the work itself ended, where its validation says otherwise. */
  readonly executor?: Ending;
  /** The name of the work that ended so, where other work than that of `Executor.name` took over. */
  readonly executorName?: string;
  readonly attempts?: number;
  /** The details of the work that callbacks see besides its ending and its output. */
  readonly details?: ExecutorDetails;
  /** True when the pipeline is to continue although it failed. */
  readonly advisory?: boolean;
}

/** Anything that can be the work of a stage: made by `using` and by the decorators. */
export interface Executor<in TDone, out TOutput> extends WorkRules {
  /** The name of the work; a plain function has the name of its stage. */
  readonly name?: string | undefined;
  /** The kinds that it can end with. */
  readonly kinds: readonly string[];
  /** The definitions of kinds of its own; the pipeline learns them. */
  readonly terminations?: readonly AnyTerminationDefinition[];
  /** The secrets that it seals; the pipeline seals them too. */
  readonly secrets?: Secrets | undefined;
  execute(call: ExecutorCall<TDone>): Promise<ExecutorResult>;
  /** Types only. */
  readonly gives?: TOutput;
}

/** The work of a stage. */
export type StageWork<TDone, TOutput> = StageFunction<TDone, TOutput> | Executor<TDone, TOutput>;
