import type { Engine } from '../engines/port/engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { carriedOptions } from '../run/carried-options.js';
import { decidedOn } from '../run/changes/decided-on.js';
import { engineToResume } from '../run/check-run-options.js';
import { defineRun, type RunDefinition, type RunResult } from '../run/define-run.js';
import { refuseUndeclared } from '../run/defined-body.js';
import { frozenCopy } from '../run/frozen.js';
import { itemsOf } from '../run/log.js';
import type { BodyResult, RunContext } from '../run/run-context.js';
import type { DefineRunOptions } from '../run/run-options.js';
import { joinSecrets } from '../run/secrets/join-secrets.js';
import type { Secrets } from '../run/secrets/secrets.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { createRegistry, type EndingOf } from '../termination/registry.js';
import type { SchemaOutput, StandardSchema } from '../termination/standard-schema.js';
import { checkKinds, plannedPhase, plannedStage } from './build.js';
import { type PlannedItem, placedStages, type StageRules, stagesOf } from './machine/plan.js';
import { projectStages } from './machine/project-stages.js';
import type { StageView } from './machine/stage-view.js';
import { checkPipelineOptions } from './options/check-pipeline-options.js';
import { readResumeOptions } from './options/resume-options.js';
import type { PhaseOptions, SharedLimits, StageOptions } from './options/stage-options.js';
import type { StageWork } from './options/stage-work.js';
import type { WorkRules } from './options/work-rules.js';
import { readInput } from './perform/input.js';
import { runSequence } from './perform/performer.js';
import type { RunnableEnd } from './perform/using.js';
import {
  type Phase,
  type Pipeline,
  type PipelineEnding,
  type PipelineResult,
  pipelineKinds,
} from './pipeline-definition.js';
import { addItem, emptyItems, type PlannedItems } from './planned-items.js';

/** Options of a pipeline: its input, limits, gate and own kinds of endings. */
export interface PipelineOptions<
  TSchema extends StandardSchema | undefined = undefined,
  TDefinitions extends readonly AnyTerminationDefinition[] = [],
> {
  /** Which code wrote the journal; resumes need the same. '1' unless given. */
  readonly version?: string;
  /** The schema of the input: any Standard Schema. Without it, see `accepting`. */
  readonly input?: TSchema;
  /** Kinds of one's own that its stages may end with. */
  readonly terminations?: TDefinitions;
  /** The tags that `custom` endings may put on a dashboard; at most 50. */
  readonly customTags?: readonly string[];
  /** Limits for all stages together. */
  readonly limits?: SharedLimits;
  /** Asked when all stages are through: a text says what is missing, and ends the run as `criteria_unmet`. */
  readonly gate?: (stages: Readonly<Record<string, StageView>>) => GateVerdict | Promise<GateVerdict>;
  /** Endings of the pipeline that count as success although their kind does not. */
  readonly treatAsSuccess?: (termination: Ending) => boolean;
  /** How long a cancelled run may take to unwind and undo; 5,000 unless given. */
  readonly graceMs?: number;
  readonly secrets?: Secrets;
  /** Receivers of a notice about each ending, at least once: names that `deliverNotices` knows. */
  readonly onEnding?: readonly string[];
}

type GateVerdict = string | null | undefined | false;

/** The input of a pipeline with this schema. */
export type PipelineInput<TSchema> = [TSchema] extends [StandardSchema] ? SchemaOutput<TSchema> : undefined;

type AnyOptions = PipelineOptions<StandardSchema | undefined, readonly AnyTerminationDefinition[]>;

/**
 * Begins a pipeline: stages one after the other, each of which sees the results of those before it. Every stage and the
 * pipeline itself end with exactly one termination.
 *
 * @example
 * const report = pipeline('report')
 *   .stage('collect', () => ['a', 'b'])
 *   .stage('count', ({ collect }) => collect.output.length);
 * const { termination, stages, output } = await report.run();
 */
export function pipeline<
  TSchema extends StandardSchema | undefined = undefined,
  const TDefinitions extends readonly AnyTerminationDefinition[] = [],
>(
  name: string,
  options: PipelineOptions<TSchema, TDefinitions> = {},
): Pipeline<
  PipelineInput<TSchema>,
  { readonly input: PipelineInput<TSchema> },
  undefined,
  EndingOf<TDefinitions[number]>
> {
  const checked = options as unknown as AnyOptions;
  checkPipelineOptions(name, checked);
  return new DefinedPipeline(name, checked, emptyItems()) as never;
}

type AnyPipeline = Pipeline<unknown, Record<string, StageView>, unknown, Ending>;
type AnyResult = PipelineResult<Record<string, StageView>, unknown, Ending>;
type Run = RunDefinition<unknown, PipelineEnding, unknown>;

/** The kinds and secrets of a pipeline: those of its options, and those that its stages brought along. */
interface PipelineParts {
  readonly terminations: readonly AnyTerminationDefinition[];
  readonly rules: StageRules;
  readonly secrets: Secrets | undefined;
}

function rulesOf({ customTags = [] }: AnyOptions, terminations: readonly AnyTerminationDefinition[]): StageRules {
  return { registry: createRegistry(terminations), customTags };
}

function partsOf(options: AnyOptions): PipelineParts {
  const { terminations = [], secrets } = options;
  return { terminations, rules: rulesOf(options, terminations), secrets };
}

class DefinedPipeline {
  readonly name: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly terminations: readonly AnyTerminationDefinition[];
  readonly limits?: SharedLimits;
  readonly secrets?: Secrets;
  readonly #options: AnyOptions;
  readonly #planned: PlannedItems;
  readonly #rules: StageRules;
  #definition: Run | undefined;

  constructor(name: string, options: AnyOptions, planned: PlannedItems, known: PipelineParts = partsOf(options)) {
    const { terminations, rules, secrets } = known;
    this.terminations = terminations;
    this.kinds = [...pipelineKinds, ...terminations.map(({ kind }) => kind)];
    this.name = name;
    this.version = options.version ?? '1';
    if (options.limits !== undefined) this.limits = options.limits;
    if (secrets !== undefined) this.secrets = secrets;
    this.#options = options;
    this.#planned = planned;
    this.#rules = rules;
  }

  get #items(): readonly PlannedItem[] {
    return itemsOf(this.#planned.log);
  }

  get stageNames(): readonly string[] {
    return placedStages(this.#items).map(({ stage }) => stage.name);
  }

  stage(name: string, work: StageWork<never, unknown>, options: StageOptions<never, unknown> = {}): DefinedPipeline {
    return this.#with(plannedStage({ name, work, options }));
  }

  phase(
    name: string,
    build: (phase: Phase<object, undefined>) => unknown,
    options: PhaseOptions<never> = {},
  ): DefinedPipeline {
    return this.#with(plannedPhase({ name, build: build as never, options }));
  }

  accepting(): DefinedPipeline {
    return this;
  }

  #with(item: PlannedItem): DefinedPipeline {
    // A unit is concluded by the run that it is part of, which has to know its kinds and its secrets.
    const executors = stagesOf(item).map(({ executor }) => executor);
    const brought = executors.flatMap((executor) => executor.terminations ?? []);
    const terminations = [...new Set([...this.terminations, ...brought])];
    const isSame = terminations.length === this.terminations.length;
    const rules = isSame ? this.#rules : rulesOf(this.#options, terminations);
    const secrets = joinSecrets(this.secrets, ...executors.map((executor) => executor.secrets));
    checkKinds(item, rules.registry);
    const planned = addItem(this.#planned, item);
    return new DefinedPipeline(this.name, this.#options, planned, { terminations, rules, secrets });
  }

  execute: AnyPipeline['execute'] = (session, engine) => this.#run.execute(session, engine);

  abandon: AnyPipeline['abandon'] = (session, engine, lastSeen) => this.#run.abandon(session, engine, lastSeen);

  run: AnyPipeline['run'] = async (input, options = {}) =>
    this.#toResult(await this.#run.run(await readInput(this.#options.input, input, this.name), options));

  resume: AnyPipeline['resume'] = async (runId, options) => {
    const engine = engineToResume(options, `The resume of ${this.name}`);
    const before = await engine.ending(runId);
    const changed = await readResumeOptions(options, before?.termination, {
      journal: () => engine.journal(runId),
      stages: placedStages(this.#items),
    });
    return this.#toResult(await this.#run.resume(runId, decidedOn(before, changed)));
  };

  result: AnyPipeline['result'] = async (runId, options: { readonly engine: Engine }) => {
    const engine = engineToResume(options, `The result of ${this.name}`);
    const result = await this.#run.result(runId, { engine });
    return result === undefined ? undefined : this.#toResult(result);
  };

  /** For a resume of a pipeline around this one. */
  workIn = (unit: string): WorkRules | undefined => {
    const item = this.#items.find(({ name }) => name === unit);
    if (item?.type !== 'phase') return item?.executor;
    return { workIn: (inner) => item.stages.find(({ name }) => name === inner)?.executor };
  };

  within = async (context: RunContext, input: unknown): Promise<RunnableEnd<unknown>> => {
    const { input: schema } = this.#options;
    if (schema === undefined) return this.#drive(context, input);
    // A step, so that a resume asks again.
    return this.#drive(context, await context.step('input', () => readInput(schema, input, this.name)));
  };

  /** Made when it is first needed: most of the pipelines that a chain of `stage` makes are never run. */
  get #run(): Run {
    this.#definition ??= defineRun(this.#runOptions()) as unknown as Run;
    return this.#definition;
  }

  #runOptions(): DefineRunOptions<unknown, BodyResult, readonly AnyTerminationDefinition[]> {
    const { limits } = this;
    return {
      ...carriedOptions(this.#options),
      ...(this.secrets !== undefined && { secrets: this.secrets }),
      name: this.name,
      version: this.version,
      run: (context, input) => this.#drive(context, input),
      ...(limits !== undefined && { limits }),
      terminations: this.terminations,
    };
  }

  #drive(context: RunContext, input: unknown): ReturnType<typeof runSequence> {
    const { gate } = this.#options;
    const sequence = { type: 'pipeline', name: this.name, items: this.#items, gate } as const;
    return runSequence({ sequence, context, base: { input: frozenCopy(input) }, rules: this.#rules });
  }

  async #toResult(result: RunResult<PipelineEnding, unknown>): Promise<AnyResult> {
    refuseUndeclared(result, pipelineKinds);
    const journal: readonly JournalEntry[] = await result.journal();
    const { termination } = result;
    const stages = projectStages({ ...this.#rules, items: this.#items, journal, termination });
    return {
      ...result,
      stages,
      stage: (name: string) => stages.find((stage) => stage.name === name) ?? noStage(name, this.name),
      resume: async (options = {}) =>
        this.#toResult(
          await result.resume(
            await readResumeOptions(options, termination, {
              journal: result.journal,
              stages: placedStages(this.#items),
            }),
          ),
        ),
    } as unknown as AnyResult;
  }
}

function noStage(name: string, of: string): never {
  throw new FullstopError('INVALID_OPTION', `The pipeline ${of} has no stage named ${JSON.stringify(name)}.`);
}
