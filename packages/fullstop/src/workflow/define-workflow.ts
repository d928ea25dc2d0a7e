import { dirname, resolve } from 'node:path';
import type { Engine } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import { decidedOn } from '../run/changes/decided-on.js';
import { defineRun, type RunResult } from '../run/define-run.js';
import { placeOfStart, type RunPlace } from '../run/defined-body.js';
import type { RunLimits } from '../run/limits.js';
import { drive } from '../run/machine/drive.js';
import { foldJournal } from '../run/machine/fold-journal.js';
import { keepLatest, type LiveRun, LiveRuns } from '../run/machine/live-runs.js';
import type { BodyResult, RunContext, RunEnd } from '../run/run-context.js';
import { secretVariables, withVariables } from '../run/secrets/environment-secrets.js';
import { type GrowingSecrets, growingSecrets } from '../run/secrets/growing-secrets.js';
import { joinSecrets } from '../run/secrets/join-secrets.js';
import type { Secrets } from '../run/secrets/secrets.js';
import { asUnitContext } from '../run/unit/unit-context.js';
import { wholeLimit } from '../stop/check-option.js';
import { valueFromJson, writeJsonText } from '../template/json-text.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { JsonValue } from '../termination/json.js';
import { fileSecrets } from './file-secrets.js';
import { firstChoices } from './first-choices.js';
import { interruptedAgent } from './interrupted-agent.js';
import type { LoadedDocument } from './load/load-document.js';
import { observationsOf, workflowMachine } from './machine/machine.js';
import { historyOf } from './machine/outputs.js';
import { programOf } from './machine/program.js';
import type { WorkflowState } from './machine/state.js';
import { makeEnvironment } from './make-environment.js';
import { programInside, runtimeOf, startOf, type Version } from './make-runtime.js';
import { findKeyProblem, findModelProblem, findPriceProblem } from './perform/agent/check-models.js';
import type { WorkflowInputs } from './perform/environment.js';
import { workflowPerformer } from './perform/performer.js';
import { endAll, type Started, startedBy } from './perform/program/started-processes.js';
import type { Runtime } from './perform/runtime.js';
import { inputProblems } from './perform/start.js';
import { cleanUpAfterStop } from './perform/units/clean-up-after-stop.js';
import { limitCost } from './perform/units/limit-cost.js';
import { sealModules, usesModules } from './perform/units/module-step.js';
import { tellOfStop } from './perform/units/tell-of-stop.js';
import { failUnit } from './perform/units/unit-end.js';
import { raisedInFile, readResumeOptions } from './resume-changes.js';
import type { StoredSource, WorkflowRunInput } from './run-input.js';
import { readRunInput, sourceOf } from './stored-source.js';
import type { LoadWorkflowOptions, Workflow, WorkflowResult, WorkflowResumeOptions } from './workflow.js';
import { workflowKinds } from './workflow-kinds.js';

type Definition = ReturnType<typeof defineRun<WorkflowRunInput, BodyResult, readonly AnyTerminationDefinition[]>>;

/** Makes a document runnable. `reload` reads another version of the same files. */
export function defineWorkflow(
  loaded: LoadedDocument,
  options: LoadWorkflowOptions,
  reload: (source: StoredSource) => LoadedDocument,
): Workflow {
  return new DefinedWorkflow(loaded, options, reload) as unknown as Workflow;
}

/** A live run with what it has open. */
interface LiveWorkflow extends LiveRun<WorkflowState> {
  /** The files that it continues with, where a resume changed them. */
  source?: StoredSource;
  /** The runtime that executes it. Not a function over the execution: V8 would keep the run until a full collection. */
  runtime?: Runtime;
  started?: Started;
  /** The places of its sub-workflows; they outlive a replay of the run. */
  readonly children?: Runtime['children'];
}

class DefinedWorkflow implements Workflow<Ending> {
  readonly name: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly limits?: RunLimits;
  readonly countsSteps = true;
  readonly secrets?: Secrets;
  readonly loaded: LoadedDocument;
  readonly document: LoadedDocument['document'];
  readonly #options: LoadWorkflowOptions;
  readonly #lenient: boolean;
  readonly #reload: (source: StoredSource) => LoadedDocument;
  readonly #source: StoredSource;
  readonly #current: Version;
  readonly #definition: Definition;
  readonly #live = new LiveRuns<LiveWorkflow>();
  readonly #versions = new Map<string, Version>();
  readonly #growing: GrowingSecrets | undefined;
  /** Runs that continue with the files as they are now. */
  readonly #onCurrent = new Set<string>();

  constructor(loaded: LoadedDocument, given: LoadWorkflowOptions, reload: (source: StoredSource) => LoadedDocument) {
    this.loaded = loaded;
    this.document = loaded.document;
    this.#source = sourceOf(loaded);
    const { files } = this.#source;
    const env = given.env ?? process.env;
    const known = joinSecrets(given.secrets, fileSecrets(files, env));
    const variables = secretVariables(env, Object.values(files));
    // What modules seal is known when they are imported, which cannot be before the run starts.
    const growing = usesModules(loaded) ? growingSecrets(known, variables) : undefined;
    const secrets = growing ?? withVariables(known, variables);
    this.#growing = growing;
    const options = { ...given, ...(secrets !== undefined && { secrets }) };
    this.#options = options;
    if (secrets !== undefined) this.secrets = secrets;
    this.#lenient = options.lenient ?? false;
    this.#reload = reload;
    this.#current = this.#versionOf(loaded, this.#source);
    this.kinds = workflowKinds;
    const { name, limits } = loaded.document.workflow;
    if (limits.timeout_seconds !== undefined) this.limits = { timeMs: limits.timeout_seconds * 1000 };
    this.#definition = defineRun({
      name,
      run: (context, input: WorkflowRunInput) => this.#drive(context, input),
      ...(this.limits !== undefined && { limits: this.limits }),
      ...(options.secrets !== undefined && { secrets: options.secrets }),
      ...(options.onEnding !== undefined && { onEnding: options.onEnding }),
    }) as unknown as Definition;
    this.name = this.#definition.name;
    this.version = this.#definition.version;
  }

  execute: Workflow['execute'] = async (session, engine) => {
    const { runId } = session.identity;
    await this.#watch(runId, async (live) => {
      if (session.segment > 1) live.source = (await readRunInput(engine, runId)).source;
      await this.#definition.execute(session, engine);
      // The hook is notified where that is possible; the ending stands without it.
      const ending = await engine.ending(runId).catch(() => undefined);
      if (ending?.segment === session.segment) await tellOfStop(live, ending);
    });
  };

  abandon: Workflow['abandon'] = (session, engine, lastSeen) => this.#definition.abandon(session, engine, lastSeen);

  run: Workflow<Ending>['run'] = async (inputs = {}, runOptions = {}) => {
    const { skipGates = false, maxIterations = this.document.workflow.limits.max_iterations, ...rest } = runOptions;
    wholeLimit(maxIterations, { builder: `The start of ${this.name}`, option: 'maxIterations' });
    const text = inputText(inputs);
    if (!this.#lenient) this.#refuse(text);
    const place = placeOfStart(rest);
    const input: WorkflowRunInput = {
      inputs: text,
      source: this.#source,
      options: {
        lenient: this.#lenient,
        skipGates,
        ...(this.#options.confine === true && { confine: true }),
        maxIterations,
        budgetUsd: this.document.workflow.limits.budget_usd ?? null,
      },
    };
    return this.#finish(place, () => this.#definition.run(input, { ...rest, ...place }));
  };

  resume: Workflow<Ending>['resume'] = async (runId, options) => {
    const { engine, useCurrent, skipGates, guidance } = options;
    const before = await engine.ending(runId);
    const wanted: WorkflowResumeOptions = {
      ...(useCurrent === true && before !== undefined && raisedInFile(before, this.document)),
      ...options,
      ...(skipGates === true && {
        answers: { ...(await firstChoices(engine, runId, options.by)), ...options.answers },
      }),
    };
    const interrupted = guidance === undefined ? undefined : await this.#interrupted(engine, runId, before);
    const resumed = readResumeOptions(wanted, { before, source: this.#source, interrupted });
    if (useCurrent === true) await this.#useCurrent(engine, runId);
    const { source } = await readRunInput(engine, runId);
    if (!this.#lenient && before?.open !== false) await this.#refuseToContinue(engine, runId);
    return this.#finish({ runId, engine }, () => this.#definition.resume(runId, decidedOn(before, resumed)), source);
  };

  /** A key that the run cannot end without is asked for before anything is answered or opened. */
  async #refuseToContinue(engine: Engine, runId: string): Promise<void> {
    const { source } = await readRunInput(engine, runId);
    const { loaded, environment } = this.#onCurrent.has(runId) ? this.#current : this.#versionFor(source);
    const { at, phase } = await this.#fold(engine, runId);
    const problem = findKeyProblem(loaded, environment, { at, isDone: phase === 'routing' });
    if (problem === undefined) return;
    this.#onCurrent.delete(runId);
    problem.message = this.secrets?.mask(problem.message) ?? problem.message;
    throw problem;
  }

  result: Workflow<Ending>['result'] = async (runId, { engine }) => {
    const result = await this.#definition.result(runId, { engine });
    if (result === undefined) return undefined;
    return this.#toResult(result, await this.#fold(engine, runId), engine);
  };

  within: Workflow['within'] = async (context, inputs) => {
    const text = inputText(inputs);
    const [problem] = this.#lenient ? [] : inputProblems(this.document.workflow.input, text);
    if (problem !== undefined) {
      const message = `The workflow ${this.name} cannot start: ${problem}.`;
      return failUnit({ error: { name: 'ValidationError', message }, errorClass: 'configuration' });
    }
    await sealModules(this.loaded, this.#current.environment);
    const started = startedBy(this.#current.environment);
    const live: LiveWorkflow = { state: undefined };
    const forget = cleanUpAfterStop(context, { live, started });
    try {
      const given = { given: text, seed: asUnitContext(context).seed, spawner: undefined };
      const runtime = runtimeOf(this.#current, { ...given, ...started });
      live.runtime = runtime;
      const machine = keepLatest(workflowMachine(runtime.program), live);
      const input = startOf(runtime.program, { scope: context.scope, skipGates: false });
      limitCost(context, runtime, input);
      return await drive({ machine, performer: workflowPerformer(runtime), context, input });
    } finally {
      forget();
      await endAll(started);
    }
  };

  /** Required inputs, their types and the models that agents may ask are checked before anything starts. */
  #refuse(text: string): void {
    const { environment } = this.#current;
    const problem = findModelProblem(this.loaded, environment) ?? findPriceProblem(this.loaded, environment);
    const found = inputProblems(this.document.workflow.input, text);
    const problems = this.secrets?.mask(found) ?? found;
    if (problems.length === 0 && problem !== undefined) {
      problem.message = this.secrets?.mask(problem.message) ?? problem.message;
      throw problem;
    }
    if (problems.length === 0) return;
    throw new FullstopError('INVALID_OPTION', `The workflow ${this.name} cannot start: ${problems.join('; ')}.`, {
      issues: problems.map((message) => ({ code: 'invalid', path: 'inputs', message })),
    });
  }

  /** The agent that was at work when the run was stopped from outside. */
  async #interrupted(engine: Engine, runId: string, before: Envelope | undefined): Promise<string | undefined> {
    return before?.termination.kind === 'child_failed' ? undefined : interruptedAgent(await engine.journal(runId));
  }

  async #useCurrent(engine: Engine, runId: string): Promise<void> {
    const before = await this.#fold(engine, runId);
    const names = new Set([...historyOf(before.outputs), before.at]);
    const gone = [...names].filter((name) => !this.#current.program.nodes.has(name));
    if (gone.length === 0) {
      this.#onCurrent.add(runId);
      return;
    }
    throw new FullstopError(
      'INVALID_OPTION',
      `The run ${runId} cannot continue with the current file: it has no ${gone.join(', ')} any more.`,
    );
  }

  async #drive(context: RunContext, input: WorkflowRunInput): Promise<RunEnd<Ending>> {
    const live: LiveWorkflow = this.#live.get(context.runId) ?? { state: undefined };
    const version = this.#onCurrent.has(context.runId) ? this.#current : this.#versionFor(live.source ?? input.source);
    live.started ??= startedBy(version.environment);
    const { started, children } = live;
    const running = {
      given: input.inputs,
      seed: asUnitContext(context).seed,
      ...started,
      ...(children !== undefined && { children }),
    };
    const spawner = { definition: this, source: live.source ?? input.source, options: input.options };
    const runtime = runtimeOf(version, { ...running, spawner });
    const machine = keepLatest(workflowMachine(runtime.program), live);
    await sealModules(version.loaded, version.environment);
    live.runtime = runtime;
    const start = startOf(runtime.program, { scope: '', ...input.options });
    limitCost(context, runtime, start);
    return drive({ machine, performer: workflowPerformer(runtime), context, input: start });
  }

  /** The files as they were when the run began. */
  #versionFor(source: StoredSource): Version {
    if (source.hash === this.#source.hash) return this.#current;
    const known = this.#versions.get(source.hash) ?? this.#versionOf(this.#reload(source), source);
    this.#versions.set(source.hash, known);
    return known;
  }

  #versionOf(loaded: LoadedDocument, source: StoredSource): Version {
    const program = programOf(loaded, this.#lenient);
    const { files, file } = source;
    const folder = this.#options.confine === true ? dirname(resolve(file)) : undefined;
    const environment = makeEnvironment(this.#options, { files, folder });
    const growing = this.#growing;
    if (growing === undefined) return { loaded, program, environment };
    return { loaded, program, environment: { ...environment, sealAlso: (more) => growing.add(more) } };
  }

  async #fold(engine: Engine, runId: string): Promise<WorkflowState> {
    const input = await readRunInput(engine, runId);
    const version = this.#onCurrent.has(runId) ? this.#current : this.#versionFor(input.source);
    const program = programInside(version, input.options.inside, this.#lenient);
    const start = startOf(program, { scope: '', ...input.options });
    return foldJournal(workflowMachine(program), start, await engine.journal(runId));
  }

  async #watch<T>(runId: string, run: (live: LiveWorkflow) => Promise<T>): Promise<T> {
    const live: LiveWorkflow = { state: undefined, children: new Map() };
    try {
      return await this.#live.during(runId, live, () => run(live));
    } finally {
      if (live.started !== undefined) await endAll(live.started);
    }
  }

  #finish(
    { runId, engine }: RunPlace,
    run: () => Promise<RunResult<Ending, unknown>>,
    source?: StoredSource,
  ): Promise<WorkflowResult<Ending>> {
    return this.#watch(runId, async (live) => {
      if (source !== undefined) live.source = source;
      const result = await run();
      await tellOfStop(live, result);
      return this.#toResult(result, await this.#stateAfter(live, engine, runId), engine);
    });
  }

  /** The state that this process saw if it brought the run to its end, else the one in the journal. */
  async #stateAfter(live: LiveWorkflow, engine: Engine, runId: string): Promise<WorkflowState> {
    const seen = live.state;
    if (seen !== undefined && seen.ending !== null) return seen;
    try {
      return await this.#fold(engine, runId);
    } catch {
      // The run has its ending; that its journal cannot be read now must not take that away.
      const { program } = this.#current;
      return seen ?? workflowMachine(program).init(startOf(program, { scope: '', skipGates: false }));
    }
  }

  #toResult(result: RunResult<Ending, unknown>, state: WorkflowState, engine: Engine): WorkflowResult<Ending> {
    const { output, ...rest } = result;
    return {
      ...(rest as unknown as Omit<Envelope<Ending>, 'output'>),
      ...(output !== undefined && { output: output as JsonValue }),
      ...(state.output !== null && output !== undefined && { outputText: state.output }),
      history: historyOf(state.outputs),
      observations: observationsOf(state),
      resume: (options: Omit<WorkflowResumeOptions, 'engine'> = {}) =>
        this.resume(result.runId, { ...options, engine }),
      journal: result.journal,
    };
  }
}

function inputText(inputs: WorkflowInputs): string {
  return typeof inputs === 'string' ? inputs : writeJsonText(valueFromJson(inputs as JsonValue));
}
