import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { sameJson } from '../engines/port/same-json.js';
import { carriedOptions } from '../run/carried-options.js';
import { limitChange, limitsOf } from '../run/changes/budgets.js';
import { decidedOn } from '../run/changes/decided-on.js';
import { checkChanges, readChanges, writeChanges } from '../run/changes/resume-changes.js';
import { defineRun, type RunResult } from '../run/define-run.js';
import { placeOfStart, type RunPlace, refuseUndeclared, startOfJournal } from '../run/defined-body.js';
import { frozenCopy } from '../run/frozen.js';
import { itemsOf } from '../run/log.js';
import { drive } from '../run/machine/drive.js';
import { foldJournal } from '../run/machine/fold-journal.js';
import { keepLatest, type LiveRun, LiveRuns } from '../run/machine/live-runs.js';
import type { Machine } from '../run/machine/machine.js';
import type { BodyResult, RunContext, RunEnd } from '../run/run-context.js';
import type { DefineRunOptions, RunOptions } from '../run/run-options.js';
import { joinSecrets } from '../run/secrets/join-secrets.js';
import type { Secrets } from '../run/secrets/secrets.js';
import { normalise } from '../run/unit/normalise.js';
import { checkOptions } from '../stop/check-option.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { JsonValue } from '../termination/json.js';
import type { Convergence, ConvergenceResult, ConvergenceResumeOptions } from './convergence.js';
import { checkFact } from './facts/fact.js';
import { rootText } from './facts/fact-log.js';
import { viewOf } from './facts/fact-view.js';
import { proofOf } from './facts/inclusion-proof.js';
import { checkSnapshot, snapshotOf } from './facts/snapshot.js';
import {
  type ConvergenceEnding,
  type ConvergenceOutput,
  type InputOf,
  kindsOfBudgets,
  possibleKinds,
} from './kinds.js';
import { explain } from './machine/explain.js';
import { convergenceMachine } from './machine/machine.js';
import type { ConvergencePlan } from './machine/plan.js';
import { type Rules, readRules } from './machine/rules.js';
import type { MachineInput } from './machine/start-state.js';
import type { ConvergenceState } from './machine/state.js';
import { checkResume } from './options/check-resume.js';
import type { ConvergenceInput, ConvergenceOptions } from './options/convergence-options.js';
import { type AnySuggestor, spawnedBy } from './options/suggestor.js';
import { convergencePerformer } from './perform/performer.js';

/**
 * Defines a convergence: suggestors look at facts and propose new ones until nobody has anything to add, and every run ends
 * with exactly one of the kinds that these options allow.
 *
 * @example
 * const approval = defineConvergence({ name: 'approval', suggestors: [risk, policy], budgets: { cycles: 20 } });
 * const { termination, facts } = await approval.run({ facts: [fact('request', { amount: 18_000 })] });
 */
export function defineConvergence<const TOptions extends ConvergenceOptions>(
  options: TOptions,
): Convergence<InputOf<TOptions>, ConvergenceEnding<TOptions>, ConvergenceOutput<TOptions>> {
  return new DefinedConvergence(options) as unknown as ReturnType<typeof defineConvergence<TOptions>>;
}

type Definition = ReturnType<typeof defineRun<JsonValue | undefined, BodyResult, readonly AnyTerminationDefinition[]>>;
type AnyConvergence = Convergence<unknown, Ending>;
type ConvergenceMachine = Machine<ConvergenceState, ConvergencePlan, MachineInput>;

class DefinedConvergence implements AnyConvergence {
  readonly name: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly terminations: readonly AnyTerminationDefinition[];
  readonly secrets?: Secrets;
  /** Whoever executes runs of this convergence executes these too. */
  readonly spawns: readonly RunnableDefinition[];
  readonly #rules: Rules;
  readonly #definition: Definition;
  readonly #live = new LiveRuns<LiveRun<ConvergenceState>>();

  constructor(options: ConvergenceOptions) {
    this.#rules = readRules(options);
    this.kinds = possibleKinds(options);
    this.terminations = this.#rules.terminations;
    this.spawns = this.#rules.suggestors.flatMap((each) => spawnedBy(each) ?? []);
    const secrets = joinSecrets(options.secrets, ...this.#rules.suggestors.map(secretsOf));
    if (secrets !== undefined) this.secrets = secrets;
    this.#definition = defineRun(this.#runOptions(options));
    this.name = this.#definition.name;
    this.version = this.#definition.version;
  }

  #runOptions(
    options: ConvergenceOptions,
  ): DefineRunOptions<JsonValue | undefined, BodyResult, readonly AnyTerminationDefinition[]> {
    return {
      ...carriedOptions(options),
      ...(this.secrets !== undefined && { secrets: this.secrets }),
      name: options.name ?? 'convergence',
      limits: limitsOf(this.#rules.budgets),
      terminations: this.#rules.terminations,
      run: (context, input) => this.#drive(context, input, convergenceMachine(this.#rules)),
    };
  }

  execute: AnyConvergence['execute'] = (session, engine) => this.#definition.execute(session, engine);

  abandon: AnyConvergence['abandon'] = (session, engine, lastSeen) =>
    this.#definition.abandon(session, engine, lastSeen);

  run = async (input?: unknown, options: RunOptions = {}): Promise<ConvergenceResult<Ending>> => {
    const given = this.#checkInput(input);
    const place = placeOfStart(options);
    return this.#watch(place, () => this.#definition.run(given, { ...options, ...place }));
  };

  resume = async (runId: string, options: ConvergenceResumeOptions): Promise<never> => {
    const { engine, budgets, facts, settled: _settled, note: _note, answers, ...rest } = options;
    if (Array.isArray(facts)) facts.forEach(checkFact);
    checkChanges(options);
    const known = await engine.summary(runId);
    const before = await engine.ending(runId);
    // The journal of another definition would make no sense here; the run itself says what is wrong.
    if (known?.name === this.name && known.version === this.version) {
      const state = this.#fold(await engine.journal(runId));
      checkResume({ runId, options, state, ending: before?.termination, kinds: this.kinds });
    }
    const resumed = {
      ...rest,
      engine,
      changes: writeChanges(options, options.by),
      ...(answers !== undefined && { answers: frozenCopy(answers) }),
      ...(budgets !== undefined && { limits: limitChange(budgets) }),
    };
    return (await this.#watch({ runId, engine }, () =>
      this.#definition.resume(runId, decidedOn(before, resumed)),
    )) as never;
  };

  result: AnyConvergence['result'] = async (runId, { engine }) => {
    const result = await this.#definition.result(runId, { engine });
    if (result === undefined) return undefined;
    const journal = await engine.journal(runId);
    return this.#toResult(result, { state: this.#fold(journal), journal, engine });
  };

  within = async (context: RunContext, input: unknown): Promise<RunEnd<Ending>> => {
    return await this.#drive(context, this.#checkInput(input), convergenceMachine(this.#rules, context.scope));
  };

  #drive(context: RunContext, input: JsonValue | undefined, machine: ConvergenceMachine): Promise<RunEnd<Ending>> {
    const live = context.scope === '' ? this.#live.get(context.runId) : undefined;
    return drive({
      machine: keepLatest(machine, live),
      performer: convergencePerformer(this.#rules, context),
      context,
      input: { input, at: context.now() },
    });
  }

  /** Refuses an input that cannot be meant, before anything has started. */
  #checkInput(input: unknown): JsonValue | undefined {
    if (this.#rules.options.seed !== undefined || input === undefined) return normalise(input);
    const { facts, snapshot } = checkOptions(input as ConvergenceInput, 'The input', ['facts', 'snapshot']);
    if (snapshot !== undefined) checkSnapshot(snapshot);
    if (facts !== undefined && !Array.isArray(facts))
      throw new FullstopError('INVALID_OPTION', 'The input of a convergence without a seed is { facts?, snapshot? }.');
    for (const each of facts ?? []) checkFact(each);
    // A copy: the caller may change what the facts were made of.
    return frozenCopy(normalise(input));
  }

  #fold(journal: readonly JournalEntry[]): ConvergenceState {
    return foldJournal(convergenceMachine(this.#rules), startOfJournal(journal), journal);
  }

  async #watch(
    { runId, engine }: RunPlace,
    run: () => Promise<RunResult<Ending, unknown>>,
  ): Promise<ConvergenceResult<Ending>> {
    const live: LiveRun<ConvergenceState> = { state: undefined };
    const result = await this.#live.during(runId, live, run);
    const known = isCurrent(live.state, result, engine) ? live.state : undefined;
    const journal = known !== undefined && result.segment === 1 ? [] : await result.journal();
    return this.#toResult(result, { state: known ?? this.#fold(journal), journal, engine });
  }

  #toResult(result: RunResult<Ending, unknown>, { state, journal, engine }: Found): ConvergenceResult<Ending> {
    if (!this.kinds.includes(result.termination.kind))
      refuseUndeclared(result, [...this.kinds, ...journal.flatMap(addedKinds)]);
    if (state.forged !== null) throw forgedJournal(result.runId, state.forged);
    const rules = this.#rules;
    return {
      ...result,
      facts: viewOf(state.facts, rules.keys),
      root: rootText(state.facts),
      cycles: itemsOf(state.cycles),
      rejections: itemsOf(state.rejections),
      gates: itemsOf(state.gateRecords),
      criteria: state.criteria,
      settlements: state.settlements,
      failures: itemsOf(state.failures),
      prove: (ref) => proofOf(state.facts, ref),
      explain: (ref) => explain(state, rules, ref),
      snapshot: () => snapshotOf(state.facts),
      resume: (options = {}) => this.resume(result.runId, { ...options, engine } as ConvergenceResumeOptions),
    };
  }
}

interface Found {
  readonly state: ConvergenceState;
  readonly journal: readonly JournalEntry[];
  readonly engine: Engine;
}

/**
 * False where the journal may hold more than this process has folded: the work of another one, or entries after the
 * request whose deadline ended a later segment.
 */
function isCurrent(
  state: ConvergenceState | undefined,
  { termination, segment }: { readonly termination: Ending; readonly segment: number },
  engine: Engine,
): boolean {
  if (state === undefined) return false;
  return (segment === 1 && !engine.durable) || sameJson(state.ending as never, termination as never);
}

/** Budgets that a resume has brought along. */
function addedKinds(entry: JournalEntry): readonly string[] {
  return entry.type === 'segment_opened' ? kindsOfBudgets(readChanges(entry.data.options ?? {}, '').budgets ?? {}) : [];
}

function forgedJournal(runId: string, cycle: number): FullstopError {
  return new FullstopError(
    'INVALID_JOURNAL',
    `The journal of ${runId} says another root for cycle ${cycle} than its facts have: one of the two was changed.`,
  );
}

function secretsOf({ options }: AnySuggestor): Secrets | undefined {
  return 'use' in options ? options.use.secrets : undefined;
}
