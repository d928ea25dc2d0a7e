import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { ResumeChanges } from '../run/changes/resume-changes.js';
import type { RunDefinition } from '../run/define-run.js';
import type { RunContext } from '../run/run-context.js';
import type { ResumeOptions, RunOptions } from '../run/run-options.js';
import type { Secrets } from '../run/secrets/secrets.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { AnyTermination, Termination } from '../termination/kinds.js';
import type { StageResult } from './machine/stage-result.js';
import type { StageView } from './machine/stage-view.js';
import type {
  OutputMayBeMissing,
  PhaseOptions,
  SharedLimits,
  StageOptions,
  TreatedStageOptions,
} from './options/stage-options.js';
import type { StageWork, WorkOutput } from './options/stage-work.js';
import type { RunnableEnd } from './perform/using.js';

/** The kinds that a pipeline can end with. Its stages have endings of their own. */
export const pipelineKinds = [
  'flow_completed',
  'child_failed',
  'criteria_unmet',
  'time_budget',
  'token_budget',
  'cost_budget',
  'gate_pending',
  'interaction_pending',
  'gate_expired',
  'cancelled',
  'failed',
  'abandoned',
  // Callbacks of the pipeline itself may ask models.
  'prompt_too_long',
  'provider_auth',
  'provider_failed',
  'provider_quota',
] as const;

/** The endings that every pipeline can have. */
export type PipelineEnding = Termination<(typeof pipelineKinds)[number]>;

/** Options of a resume; changes are for the agent or the convergence that ended, or for the one at a path. */
export interface PipelineResumeOptions extends Omit<ResumeOptions, 'changes' | 'clock' | 'runId'>, ResumeChanges {
  readonly engine: Engine;
}

/** The output of a stage by its name; `TDone` is what a stage after the last one would see. */
export type OutputOfStage<TDone, TName extends keyof TDone> =
  TDone[TName] extends StageView<infer TOutput> ? TOutput : never;

/** How a run of a pipeline ended, with all its stages. */
export interface PipelineResult<TDone, TOutput, TExtra extends Ending = never>
  extends Omit<Envelope<PipelineEnding>, 'output'> {
  /** The output of the last stage, if it was reached. */
  readonly output?: TOutput;
  /** Every planned stage in order, reached or not. */
  readonly stages: readonly StageResult<unknown, AnyTermination | TExtra>[];
  /** One stage by its name. */
  stage<TName extends Exclude<keyof TDone, 'input'>>(
    name: TName,
  ): StageResult<OutputOfStage<TDone, TName>, AnyTermination | TExtra>;
  /** Continues where it stopped, on the same engine: finished stages stand. */
  resume(options?: Omit<PipelineResumeOptions, 'engine'>): Promise<PipelineResult<TDone, TOutput, TExtra>>;
  journal(): Promise<readonly JournalEntry[]>;
}

/** A pipeline that can be run, resumed, executed by workers, and used as a stage of another. Each call of `stage` returns a longer one. */
export interface Pipeline<TInput, TDone, TOutput, TExtra extends Ending = never>
  extends RunnableDefinition,
    Pick<RunDefinition<TInput, PipelineEnding, TOutput>, 'abandon'> {
  /** The kinds that it can end with. */
  readonly kinds: readonly string[];
  /** The definitions of kinds of one's own: those of its options, and those that its stages brought along. */
  readonly terminations: readonly AnyTerminationDefinition[];
  /** Limits for all its stages together, also where it runs inside another run. */
  readonly limits?: SharedLimits;
  /** The secrets that it and its stages seal: its parent seals them too. */
  readonly secrets?: Secrets;
  /** The names of all planned stages, in order. */
  readonly stageNames: readonly string[];
  stage<const TName extends string, TNew>(
    name: TName extends keyof TDone ? never : TName,
    work: StageWork<TDone, TNew>,
    options: TreatedStageOptions<TDone, NoInfer<WorkOutput<TNew>>>,
  ): Pipeline<
    TInput,
    TDone & { readonly [K in TName]: StageView<WorkOutput<TNew> | undefined> },
    WorkOutput<TNew> | undefined,
    TExtra
  >;
  stage<const TName extends string, TNew>(
    name: TName extends keyof TDone ? never : TName,
    work: StageWork<TDone, TNew>,
    options: StageOptions<TDone, NoInfer<WorkOutput<TNew>>> & OutputMayBeMissing<TDone>,
  ): Pipeline<
    TInput,
    TDone & { readonly [K in TName]: StageView<WorkOutput<TNew> | undefined> },
    WorkOutput<TNew> | undefined,
    TExtra
  >;
  stage<const TName extends string, TNew>(
    name: TName extends keyof TDone ? never : TName,
    work: StageWork<TDone, TNew>,
    options?: StageOptions<TDone, NoInfer<WorkOutput<TNew>>>,
  ): Pipeline<TInput, TDone & { readonly [K in TName]: StageView<WorkOutput<TNew>> }, WorkOutput<TNew>, TExtra>;
  /** Several stages with limits and callbacks in common. */
  phase<TAfter extends TDone, TLast>(
    name: string,
    build: (phase: Phase<TDone, undefined>) => Phase<TAfter, TLast>,
    options?: PhaseOptions<TDone>,
  ): Pipeline<TInput, TAfter, TLast, TExtra>;
  /** The same pipeline for input of another type. */
  accepting<TNewInput>(): Pipeline<TNewInput, Omit<TDone, 'input'> & { readonly input: TNewInput }, TOutput, TExtra>;
  /** Starts a run and returns its ending with all stages. Never rejects once the run has started. */
  run(
    ...given: undefined extends TInput ? [input?: TInput, options?: RunOptions] : [input: TInput, options?: RunOptions]
  ): Promise<PipelineResult<TDone, TOutput, TExtra>>;
  resume(runId: string, options: PipelineResumeOptions): Promise<PipelineResult<TDone, TOutput, TExtra>>;
  /** The latest ending, if there is one. */
  result(
    runId: string,
    options: { readonly engine: Engine },
  ): Promise<PipelineResult<TDone, TOutput, TExtra> | undefined>;
  /** Runs it as a unit inside another run; its output is that of `run`. */
  within(context: RunContext, input: TInput): Promise<RunnableEnd<TOutput>>;
}

/** The stages of a phase; each call of `stage` returns a longer one. */
export interface Phase<TDone, TLast> {
  stage<const TName extends string, TNew>(
    name: TName extends keyof TDone ? never : TName,
    work: StageWork<TDone, TNew>,
    options: TreatedStageOptions<TDone, NoInfer<WorkOutput<TNew>>>,
  ): Phase<TDone & { readonly [K in TName]: StageView<WorkOutput<TNew> | undefined> }, WorkOutput<TNew> | undefined>;
  stage<const TName extends string, TNew>(
    name: TName extends keyof TDone ? never : TName,
    work: StageWork<TDone, TNew>,
    options: StageOptions<TDone, NoInfer<WorkOutput<TNew>>> & OutputMayBeMissing<TDone>,
  ): Phase<TDone & { readonly [K in TName]: StageView<WorkOutput<TNew> | undefined> }, WorkOutput<TNew> | undefined>;
  stage<const TName extends string, TNew>(
    name: TName extends keyof TDone ? never : TName,
    work: StageWork<TDone, TNew>,
    options?: StageOptions<TDone, NoInfer<WorkOutput<TNew>>>,
  ): Phase<TDone & { readonly [K in TName]: StageView<WorkOutput<TNew>> }, WorkOutput<TNew>>;
  /** Types only. */
  readonly gives?: TLast;
}
