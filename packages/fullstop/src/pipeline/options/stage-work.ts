import type { RunContext } from '../../run/run-context.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import type { ChildReference } from '../../termination/kinds/error.js';
import type { Registry } from '../../termination/registry.js';

/** What a stage is told besides what earlier stages came to. */
export interface StageCall {
  /** The world of this stage: steps, waits, children. What a stage does through it is journalled. */
  readonly context: RunContext;
  /** 1 for the first. */
  readonly attempt: number;
  /** What `validate` said about the attempt before. */
  readonly feedback?: string;
}

/** Work as a plain function: what it returns is the output, what it throws is `failed` with origin `stage`. */
export type StageFunction<TDone, TOutput> = (done: TDone, stage: StageCall) => TOutput | Promise<TOutput>;

/** The call of an executor. */
export interface ExecutorCall<TDone> extends StageCall {
  /** The name of the stage. */
  readonly stage: string;
  readonly done: TDone;
  /** The kinds that the pipeline knows. */
  readonly registry: Registry;
}

/** What came of an executor. */
export interface Ran {
  readonly termination: Ending;
  readonly also?: readonly Ending[];
  readonly output?: unknown;
  /** The units inside that the ending comes from, outermost first: a resume takes them up again. */
  readonly links?: readonly ChildReference[];
  /** How the work itself ended, where its validation says otherwise. */
  readonly executor?: Ending;
  /** What the ending is of, where other work than that of `Executor.name` took over. */
  readonly executorName?: string;
  readonly attempts?: number;
  /** True when the pipeline is to go on although it failed. */
  readonly advisory?: boolean;
}

/** Anything that can be the work of a stage: made by `using` and by the decorators. */
export interface Executor<in TDone, out TOutput> {
  /** What it runs; a plain function has the name of its stage. */
  readonly name?: string | undefined;
  /** What it can end with at most. */
  readonly kinds: readonly string[];
  /** The definitions of kinds of its own; the pipeline learns them. */
  readonly terminations?: readonly AnyTerminationDefinition[];
  /** What it seals; the pipeline seals it too. */
  readonly secrets?: Secrets | undefined;
  execute(call: ExecutorCall<TDone>): Promise<Ran>;
  /** Types only. */
  readonly gives?: TOutput;
}

/** The work of a stage. */
export type StageWork<TDone, TOutput> = StageFunction<TDone, TOutput> | Executor<TDone, TOutput>;
