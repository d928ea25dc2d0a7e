import type { ModelPrice } from '../../run/accounts/price.js';
import type { CarriedOptions } from '../../run/carried-options.js';
import type { RunResult } from '../../run/define-run.js';
import type { ResumeOptions, RunOptions } from '../../run/run-options.js';
import type { EndingOfKind, StopCondition } from '../../stop/condition.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';

/** Our side of a call to another framework. */
export interface EndingOptions<TKind extends string = never> extends RunOptions, CarriedOptions {
  /** The name of the run on its engine; the name of the function that is called unless given. */
  readonly name?: string;
  /** Conditions that end the run besides those of the framework. */
  readonly stopWhen?: StopCondition<TKind> | readonly StopCondition<TKind>[];
  /** Prices of models, under `provider/model` or just the model's name. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /** Continues without a price; then a cost budget cannot stop that model. */
  readonly allowUnknownPrices?: boolean;
  /** Custom kinds that conditions of your own may end the run with. */
  readonly terminations?: readonly AnyTerminationDefinition[];
}

/** The changes and answers with which a run of another framework continues. */
export interface ContinueOptions<TKind extends string = never>
  extends Omit<ResumeOptions, 'limits' | 'changes' | 'at'> {
  /** Conditions that hold from now on: one of the same name replaces, a new one is appended. */
  readonly stopWhen?: StopCondition<TKind> | readonly StopCondition<TKind>[];
  /** Conditions to leave out, by name. */
  readonly without?: readonly string[];
}

/** A run of another framework as it is stored, which may be continued. */
export interface EndedRun<TEnding extends Ending, TResult> extends Omit<RunResult<TEnding, JsonValue>, 'resume'> {
  /** Calls the framework again from where it stopped. */
  resume<TKind extends string = never>(
    options?: Omit<ContinueOptions<TKind>, 'engine'>,
  ): Promise<Ended<TEnding | EndingOfKind<TKind>, TResult>>;
}

/** How a call to another framework ended. */
export interface Ended<TEnding extends Ending, TResult> {
  readonly termination: TEnding;
  /** The framework's own result, untouched; undefined when it returned none. */
  readonly result: TResult | undefined;
  /** Whatever the framework threw, untouched; undefined when it threw nothing. */
  readonly error: unknown;
  /** The run with its envelope: usage, cost, what to do next. */
  readonly run: EndedRun<TEnding, TResult>;
}

/** A call that streams: the framework's own result at once, and its ending when it has one. */
export interface Streaming<TEnding extends Ending, TResult> {
  /** The framework's own result, untouched. Its stream has to be read for the run to come to its end. */
  readonly result: TResult;
  readonly ending: Promise<Ended<TEnding, TResult>>;
}
