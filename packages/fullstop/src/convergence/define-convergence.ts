import type { Engine } from '../engines/port/engine.js';
import { host } from '../engines/port/host.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { sameJson } from '../engines/port/same-json.js';
import { carriedOptions } from '../run/carried-options.js';
import { defineRun, engineFor, type RunResult } from '../run/define-run.js';
import { frozenCopy } from '../run/frozen.js';
import { drive } from '../run/machine/drive.js';
import { foldJournal } from '../run/machine/fold-journal.js';
import type { Machine } from '../run/machine/machine.js';
import type { BodyResult, End, RunContext } from '../run/run-context.js';
import type { DefineRunOptions, RunOptions } from '../run/run-options.js';
import { joinSecrets } from '../run/secrets/join-secrets.js';
import type { Secrets } from '../run/secrets/secrets.js';
import { normalise } from '../run/unit/normalise.js';
import { checkOptions } from '../stop/check-option.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { JsonObject, JsonValue } from '../termination/json.js';
import type { Convergence, ConvergenceResult, ConvergenceResumeOptions } from './convergence.js';
import { checkedFact } from './facts/fact.js';
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
import { itemsOf } from './machine/growing-list.js';
import { convergenceMachine } from './machine/machine.js';
import { changesIn } from './machine/resume-state.js';
import { type Rules, readRules } from './machine/rules.js';
import type { MachineInput } from './machine/start-state.js';
import type { ConvergenceState } from './machine/state.js';
import { limitChange, limitsOf } from './options/budgets.js';
import { checkResume, checkResumeOptions } from './options/check-resume.js';
import type { ConvergenceInput, ConvergenceOptions } from './options/convergence-options.js';
import type { AnySuggestor } from './options/suggestor.js';
import { convergencePerformer, type Plan } from './perform/performer.js';

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

/** The latest state of a run that someone in this process waits for, so that it need not be read back. */
interface Live {
  state: ConvergenceState | undefined;
}

type Definition = ReturnType<typeof defineRun<JsonValue | undefined, BodyResult, readonly AnyTerminationDefinition[]>>;
type AnyConvergence = Convergence<unknown, Ending>;
type ConvergenceMachine = Machine<ConvergenceState, Plan, MachineInput>;

class DefinedConvergence implements AnyConvergence {
  readonly name: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly terminations: readonly AnyTerminationDefinition[];
  readonly secrets?: Secrets;
  readonly #rules: Rules;
  readonly #definition: Definition;
  readonly #live = new Map<string, Live>();

  constructor(options: ConvergenceOptions) {
    this.#rules = readRules(options);
    this.kinds = possibleKinds(options);
    this.terminations = this.#rules.terminations;
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
    const given = this.#checkedInput(input);
    const runId = options.runId ?? `r_${host.crypto.randomUUID()}`;
    const engine = engineFor(options);
    return this.#watched(runId, engine, () => this.#definition.run(given, { ...options, runId, engine }));
  };

  resume = async (runId: string, options: ConvergenceResumeOptions): Promise<never> => {
    const { engine, budgets, facts, settled, note, answers, ...rest } = options;
    checkResumeOptions(options);
    const checked = frozenCopy(normalise(facts?.map(checkedFact)));
    const known = await engine.summary(runId);
    // The journal of another definition would make no sense here; the run itself says what is wrong.
    if (known?.name === this.name && known.version === this.version) {
      const ending = (await engine.ending(runId))?.termination;
      checkResume({ runId, options, state: this.#fold(await engine.journal(runId)), ending, kinds: this.kinds });
    }
    const { by } = options;
    const settling = (settled !== undefined || note !== undefined) && {
      refs: settled ?? [],
      ...(note !== undefined && { note }),
      ...(by !== undefined && { by }),
    };
    const changes = {
      ...(budgets !== undefined && { budgets }),
      ...(checked !== undefined && { facts: checked }),
      ...(settling !== false && { settled: settling }),
    } as unknown as JsonObject;
    const resumed = {
      ...rest,
      engine,
      changes,
      ...(answers !== undefined && { answers: frozenCopy(answers) }),
      ...(budgets !== undefined && { limits: limitChange(budgets) }),
    };
    return (await this.#watched(runId, engine, () => this.#definition.resume(runId, resumed))) as never;
  };

  result: AnyConvergence['result'] = async (runId, { engine }) => {
    const result = await this.#definition.result(runId, { engine });
    if (result === undefined) return undefined;
    const journal = await engine.journal(runId);
    return this.#toResult(result, { state: this.#fold(journal), journal, engine });
  };

  within = (context: RunContext, input: unknown): Promise<End<Ending>> => {
    return this.#drive(context, this.#checkedInput(input), convergenceMachine(this.#rules, context.scope));
  };

  #drive(context: RunContext, input: JsonValue | undefined, machine: ConvergenceMachine): Promise<End<Ending>> {
    const live = context.scope === '' ? this.#live.get(context.runId) : undefined;
    return drive({
      machine: live === undefined ? machine : watching(machine, live),
      performer: convergencePerformer(this.#rules, context),
      context,
      input: { input, at: context.now() },
    });
  }

  /** Refuses an input that cannot be meant, before anything has started. */
  #checkedInput(input: unknown): JsonValue | undefined {
    if (this.#rules.options.seed !== undefined || input === undefined) return normalise(input);
    const { facts, snapshot } = checkOptions(input as ConvergenceInput, 'The input', ['facts', 'snapshot']);
    if (snapshot !== undefined) checkSnapshot(snapshot);
    if (facts !== undefined && !Array.isArray(facts))
      throw new FullstopError('INVALID_OPTION', 'The input of a convergence without a seed is { facts?, snapshot? }.');
    for (const each of facts ?? []) checkedFact(each);
    // A copy: whoever gave the facts may change what they were made of.
    return frozenCopy(normalise(input));
  }

  #fold(journal: readonly JournalEntry[]): ConvergenceState {
    const [first] = journal;
    const input = first?.type === 'run_started' ? first.data.input : undefined;
    return foldJournal(convergenceMachine(this.#rules), { input, at: first?.at ?? 0 }, journal);
  }

  async #watched(
    runId: string,
    engine: Engine,
    run: () => Promise<RunResult<Ending, unknown>>,
  ): Promise<ConvergenceResult<Ending>> {
    const live: Live = { state: undefined };
    this.#live.set(runId, live);
    try {
      const result = await run();
      const known = isCurrent(live.state, result, engine) ? live.state : undefined;
      const journal = known !== undefined && result.segment === 1 ? [] : await result.journal();
      return this.#toResult(result, { state: known ?? this.#fold(journal), journal, engine });
    } finally {
      this.#live.delete(runId);
    }
  }

  #toResult(result: RunResult<Ending, unknown>, { state, journal, engine }: Found): ConvergenceResult<Ending> {
    if (!this.kinds.includes(result.termination.kind))
      refuseUndeclared(result, [...this.kinds, ...journal.flatMap(addedKinds)]);
    if (state.forged !== null) throw forged(result.runId, state.forged);
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

/** The same machine, which leaves its latest state where others find it. */
function watching(machine: ConvergenceMachine, live: Live): ConvergenceMachine {
  const keep = (state: ConvergenceState): ConvergenceState => {
    live.state = state;
    return state;
  };
  return {
    ...machine,
    init: (input) => keep(machine.init(input)),
    apply: (state, observation) => keep(machine.apply(state, observation)),
    resume: (state, opening) => keep(machine.resume?.(state, opening) ?? state),
  };
}

/**
 * False where the journal may hold more than this process has folded: what another one has done, or what stands behind the
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
  return entry.type === 'segment_opened' ? kindsOfBudgets(changesIn(entry.data.options ?? {}, '').budgets ?? {}) : [];
}

function refuseUndeclared(
  { runId, termination }: Pick<RunResult<Ending, unknown>, 'runId' | 'termination'>,
  kinds: readonly string[],
): void {
  if (kinds.includes(termination.kind)) return;
  throw new FullstopError(
    'ENDING_NOT_DECLARED',
    `The run ${runId} ended as ${JSON.stringify(termination.kind)}, which these options do not allow; they allow ${[...new Set(kinds)].join(', ')}.`,
  );
}

function forged(runId: string, cycle: number): FullstopError {
  return new FullstopError(
    'INVALID_JOURNAL',
    `The journal of ${runId} says another root for cycle ${cycle} than its facts have: one of the two was changed.`,
  );
}

function secretsOf({ options }: AnySuggestor): Secrets | undefined {
  return 'use' in options ? options.use.secrets : undefined;
}
