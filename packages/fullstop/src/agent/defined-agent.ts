import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { carriedOptions } from '../run/carried-options.js';
import { receiveChanges } from '../run/changes/change-receiver.js';
import { conditionsAfter, limitChange, limitsOf } from '../run/changes/changed-conditions.js';
import { decidedOn } from '../run/changes/decided-on.js';
import type { AnswerRules } from '../run/changes/refuse-same-answer.js';
import { checkChanges, writeChanges } from '../run/changes/resume-changes.js';
import { engineToResume } from '../run/check-run-options.js';
import { defineRun, type RunResult } from '../run/define-run.js';
import { placeOfStart, type RunPlace, refuseUndeclared, startOfJournal } from '../run/defined-body.js';
import { itemsOf } from '../run/log.js';
import type { JournalFold } from '../run/machine/fold-journal.js';
import { keepLatest, type LiveRun, LiveRuns } from '../run/machine/live-runs.js';
import type { BodyResult, RunContext, RunEnd } from '../run/run-context.js';
import type { DefineRunOptions } from '../run/run-options.js';
import { joinSecrets } from '../run/secrets/join-secrets.js';
import type { Secrets } from '../run/secrets/secrets.js';
import { asUnitContext } from '../run/unit/unit-context.js';
import type { StopCondition } from '../stop/condition.js';
import { refuseIdleConditions } from '../stop/refuse-idle-conditions.js';
import { checkConditions, listOf } from '../stop/resume-conditions.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { JsonObject } from '../termination/json.js';
import type { Agent, AgentResult, AgentResumeOptions, AgentRunOptions } from './agent.js';
import { possibleKinds } from './kinds.js';
import { type Loop, loadLoop } from './load-loop.js';
import type { MachineInput } from './machine/machine.js';
import type { AgentRules } from './machine/rules.js';
import type { AgentState } from './machine/state.js';
import { messagesOf } from './messages-of.js';
import type { AgentInput, AnyAgentOptions } from './options/agent-options.js';
import { checkAgentInput, isAgentInput } from './options/check-agent-input.js';
import { checkAgentOptions, checkResume, checkStart } from './options/check-agent-options.js';
import { checkPrices, refuseUnpriced, requirePricesInside } from './options/check-prices.js';
import { ContextSource } from './options/context-source.js';
import { rememberOptions } from './options/defined-options.js';
import { type Place, usualRepairs } from './options/make-rules.js';
import { type Prepared, prepare, toolNames } from './options/prepare.js';
import { requirePriceInside, withUsualLimit } from './options/usual-limit.js';
import { unitDetails } from './perform/unit-details.js';
import { readPromptTokens } from './prompt-tokens.js';
import { type AgentRun, announcedRun } from './stream/announced-run.js';
import { listenToDeltas } from './stream/deltas.js';
import { followStarted, followStored } from './stream/follow-run.js';
import { announceChange } from './stream/live-channel.js';
import type { JournalReader } from './stream/ui-projection.js';
import {
  type AgentAtWork,
  agentAtWork,
  type HandingAgent,
  isHandedOver,
  knowHandOffs,
  refuseGuidanceInVain,
} from './tools/agent-at-work.js';
import { handedTerminations, handOffTargets } from './tools/hand-off.js';
import { receiverOfAgent, rulesAtWork } from './tools/rules-at-work.js';
import { spawnedBy } from './tools/spawned-agent.js';
import { declareNeeds, handContext, handedContext } from './tools/unit-context.js';
import { runsInside, secretsOfUnit } from './tools/unit-tool.js';

/** How a run inside another one ended, with the state it ended in. */
interface Inside {
  readonly ended: RunEnd<Ending>;
  readonly state: AgentState;
}

/** The state and the journal of a run, as far as they are known. */
interface Found {
  readonly loop: Loop;
  readonly state: AgentState;
  readonly journal: Awaited<ReturnType<AgentResult['journal']>>;
}

interface Driving {
  readonly live: AgentRun | undefined;
  readonly isRoot: boolean;
  readonly timeMs?: number | undefined;
}

interface Watch extends RunPlace {
  readonly conditions: readonly StopCondition<string>[];
  readonly onDelta?: AgentRunOptions['onDelta'] | undefined;
  readonly context?: unknown;
}

type Definition = ReturnType<typeof defineRun<AgentInput, BodyResult, readonly AnyTerminationDefinition[]>>;

type Started = AgentRunOptions & { readonly context?: unknown };
type Resumed = AgentResumeOptions<string> & { readonly context?: unknown };

const noOptions: Started = {};

/** An agent with its options checked and its loop prepared. */
export class DefinedAgent implements Agent<Ending> {
  readonly name: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly stopWhen: readonly StopCondition<string>[];
  readonly answers: AnswerRules;
  readonly terminations: readonly AnyTerminationDefinition[];
  readonly secrets?: Secrets;
  readonly #prepared: Prepared;
  readonly #handing: HandingAgent;
  readonly spawns: readonly RunnableDefinition[];
  readonly #definition: Definition;
  readonly #live = new LiveRuns<AgentRun>();
  readonly #contexts: ContextSource;
  /** Custom conditions that resumes brought along: the journal has their names only. */
  readonly #custom = new Map<string, StopCondition<string>>();

  constructor(options: AnyAgentOptions) {
    checkAgentOptions(options);
    rememberOptions(this, options);
    const stopWhen = withUsualLimit(checkConditions(options.stopWhen === undefined ? [] : listOf(options.stopWhen)));
    const secrets = joinSecrets(options.secrets, ...Object.values(options.tools ?? {}).map(secretsOfUnit));
    if (secrets !== undefined) this.secrets = secrets;
    this.#prepared = prepare(secrets === undefined ? options : { ...options, secrets }, stopWhen);
    const tools = toolNames(this.#prepared);
    refuseIdleConditions(stopWhen, tools);
    checkPrices(this, this.#prepared);
    this.#contexts = new ContextSource(this.#prepared.name, options);
    declareNeeds(this, this.#contexts.needsInside);
    this.kinds = possibleKinds(options);
    this.stopWhen = this.#prepared.stopWhen;
    this.answers = {
      cap: options.settings?.maxOutputTokens,
      repair: options.output === undefined ? undefined : (options.repair ?? usualRepairs),
    };
    const terminations = [...(options.terminations ?? []), ...handedTerminations(options.tools ?? {})];
    this.terminations = [...new Set(terminations)];
    this.#handing = {
      targets: handOffTargets(options.tools ?? {}),
      stopWhen: this.stopWhen,
      answers: this.answers,
      tools,
      custom: () => [...this.#custom.values()],
      remember: (conditions) => this.#remember(conditions),
    };
    knowHandOffs(this, this.#handing);
    receiveChanges(this, receiverOfAgent(this.#handing));
    this.#remember(stopWhen);
    this.#definition = defineRun(this.#runOptions(options));
    this.name = this.#definition.name;
    this.version = this.#definition.version;
    this.spawns = spawnedBy(options.tools ?? {});
    runsInside(this, async (context, input, timeMs) => {
      const { ended, state } = await this.#inside(context, input, timeMs);
      return { ...ended, output: unitDetails(ended, state, options) };
    });
  }

  #runOptions(options: AnyAgentOptions): DefineRunOptions<AgentInput, BodyResult, readonly AnyTerminationDefinition[]> {
    const { terminations } = this;
    return {
      ...carriedOptions(options),
      ...(this.secrets !== undefined && { secrets: this.secrets }),
      name: this.#prepared.name,
      limits: limitsOf(this.#prepared.stopWhen),
      run: (context, input) => {
        const live = this.#live.get(context.runId) ?? announcedRun(context.runId);
        return this.#drive(context, input, { live, isRoot: true });
      },
      ...(terminations.length > 0 && { terminations }),
    };
  }

  execute: Agent['execute'] = async (session, engine) => {
    const { runId } = session.identity;
    // Whoever waits for it in this process has brought its context.
    if (!this.#contexts.isUsed || this.#live.get(runId) !== undefined) return this.#definition.execute(session, engine);
    const found = await this.#contexts.find(runId, session.input);
    return this.#live.during(runId, announcedRun(runId, found), () => this.#definition.execute(session, engine));
  };

  abandon: Agent['abandon'] = (session, engine, lastSeen) => this.#definition.abandon(session, engine, lastSeen);

  run: Agent<Ending>['run'] = (input, options = noOptions) => this.#run(input, options);

  stream: Agent<Ending>['stream'] = (input, options = {}) => {
    const place = placeOfStart(options);
    return followStarted({
      ...place,
      reader: this.#reader(),
      start: (onStart) => this.#run(input, { ...options, ...place, onStart: inTurn(onStart, options.onStart) }),
    });
  };

  async #run(input: AgentInput, options: Started): Promise<AgentResult<Ending>> {
    checkAgentInput(input, this.name);
    checkStart(options, this.name);
    const { onDelta, context: given, ...rest } = options;
    const place = placeOfStart(options);
    const context = await this.#contexts.contextFor(given, place.runId, input);
    const { runId, engine } = place;
    // Spelled out, and the place alone where nothing else is given: until it is compiled, every spread makes an object of another shape.
    const watch: Watch = { runId, engine, conditions: this.#prepared.stopWhen, onDelta, context };
    const started = options === noOptions ? place : { ...rest, ...place };
    return this.#watch(watch, () => this.#definition.run(input, started));
  }

  resume: Agent<Ending>['resume'] = (runId, options) => this.#resume(runId, options) as never;

  resumeStream: Agent<Ending>['resumeStream'] = (runId, options) =>
    followStarted({
      runId,
      engine: options.engine,
      reader: this.#reader(),
      isResumed: true,
      start: (onStart) => this.#resume(runId, options, onStart),
    }) as never;

  follow: Agent<Ending>['follow'] = (runId, options) =>
    followStored({ runId, options, reader: this.#reader(), result: () => this.result(runId, options) });

  async #resume(runId: string, asked: Resumed, onStart?: () => void): Promise<AgentResult<Ending>> {
    const engine = engineToResume(asked, `The resume of ${this.name}`);
    checkResume(asked, this.name);
    const { stopWhen, ...others } = asked;
    const { without, guidance, settings, repair, onDelta, context: given, ...rest } = others;
    const options = { ...others, ...(stopWhen !== undefined && { stopWhen: listOf(stopWhen) }) };
    checkChanges(options);
    const before = await engine.ending(runId);
    const work = await this.#atWork(runId, engine);
    if (guidance !== undefined) refuseGuidanceInVain(work, runId);
    work.agent.remember(options.stopWhen ?? []);
    const known = [...this.#custom.values()];
    const openings = await engine.journal(runId, { types: ['segment_opened'] });
    const written = writeChanges(options, options.by);
    // Whoever has the conversation gets what is said and changed.
    const changes = work.path === '' || Object.keys(written).length === 0 ? written : { ...written, at: work.path };
    const { conditions, answers } = rulesAtWork(work, openings, changes);
    const after = work.path === '' ? conditions : conditionsAfter(this.#prepared.stopWhen, openings, known);
    if (stopWhen !== undefined) refuseUnpriced(this, this.#prepared, after);
    const loop = await loadLoop();
    const fold = (journal: readonly JournalEntry[]): AgentState => this.#fold(loop, journal);
    const { path } = work;
    await loop.refuseUnchanged({ engine, runId, path, conditions, answers, isGuided: guidance !== undefined, fold });
    const resumed = { ...rest, changes, limits: limitChange(after), ...(onStart !== undefined && { onStart }) };
    const context = await this.#contexts.contextToResume(given, runId, engine);
    const watch = { runId, engine, conditions: after, onDelta, context };
    return this.#watch(watch, () => this.#definition.resume(runId, decidedOn(before, resumed)));
  }

  async #atWork(runId: string, engine: Engine): Promise<AgentAtWork> {
    if (this.#handing.targets.size === 0) return { agent: this.#handing, path: '' };
    return agentAtWork(this.#handing, await engine.journal(runId));
  }

  result: Agent<Ending>['result'] = async (runId, { engine }) => {
    const result = await this.#definition.result(runId, { engine });
    if (result === undefined) return undefined;
    const journal = await engine.journal(runId);
    const conditions = conditionsAfter(this.#prepared.stopWhen, journal, [...this.#custom.values()]);
    const loop = await loadLoop();
    return this.#toResult(result, { loop, state: this.#fold(loop, journal), journal }, { runId, engine, conditions });
  };

  within: Agent<Ending>['within'] = async (context, input, given = {}) => {
    handContext(context, given.context);
    const { ended, state } = await this.#inside(context, input);
    const loop = await loadLoop();
    const { text } = state;
    const details = (): object => ({
      text,
      messages: itemsOf(state.messages),
      iterations: loop.iterationRecords(state),
      toolCalls: itemsOf(state.toolCalls),
    });
    return { ...ended, details } as RunEnd<Ending>;
  };

  async #inside(context: RunContext, input: AgentInput, timeMs?: number): Promise<Inside> {
    const live: LiveRun<AgentState> = { state: undefined };
    const ended = await this.#drive(context, input, { live, isRoot: false, timeMs });
    return { ended, state: live.state as AgentState };
  }

  #remember(conditions: readonly StopCondition<string>[]): void {
    for (const condition of conditions)
      if (condition.evaluateAsync !== undefined) this.#custom.set(condition.name, condition);
  }

  async #drive(context: RunContext, given: AgentInput, { live, isRoot, timeMs }: Driving): Promise<RunEnd<Ending>> {
    checkAgentInput(given, this.name);
    if (live?.failure !== undefined) throw live.failure.error;
    const budgetUsd = isRoot ? undefined : asUnitContext(context).pricedBudget;
    for (const model of this.#prepared.models) requirePriceInside(model, this.#prepared, budgetUsd);
    requirePricesInside(asUnitContext(context), this.#prepared);
    const own = isRoot ? live?.context : await this.#contexts.contextFor(handedContext(context), context.runId, given);
    const loop = await loadLoop();
    const rules = this.#rules(loop, { scope: context.scope, isRoot, timeMs });
    const machine = loop.agentMachine(rules);
    const options = isRoot ? asUnitContext(context).startOptions : {};
    const input = this.#input(given, context.now(), options);
    return loop.drive({
      machine: keepLatest(machine, live),
      performer: loop.agentPerformer({
        prepared: this.#prepared,
        rules,
        input: input.messages,
        context,
        given: own,
        budgetUsd,
      }),
      context,
      input,
    });
  }

  #rules({ rulesOf }: Loop, { scope, isRoot, timeMs }: Omit<Place, 'custom'>): AgentRules {
    return rulesOf(this.#prepared, { scope, isRoot, timeMs, custom: () => [...this.#custom.values()] });
  }

  #input(input: AgentInput, at: number, options: JsonObject): MachineInput {
    const messages = messagesOf(input, this.#prepared.options.instructions);
    // Instructions come from the options, which nobody has sealed.
    return { messages: this.secrets?.seal(messages) ?? messages, at, promptTokens: readPromptTokens(options) };
  }

  #fold(loop: Loop, journal: readonly JournalEntry[]): AgentState {
    return this.#openFold(loop, journal).state();
  }

  #openFold(loop: Loop, journal: readonly JournalEntry[], live?: LiveRun<AgentState>): JournalFold<AgentState> {
    const { input: stored, at, options } = startOfJournal(journal);
    // A run that was started without this agent may hold anything; it has its ending all the same.
    const input = isAgentInput(stored) ? stored : '';
    const machine = loop.agentMachine(this.#rules(loop, { scope: '', isRoot: true }));
    return loop.openFold(keepLatest(machine, live), this.#input(input, at, options), journal);
  }

  async #reader(): Promise<JournalReader> {
    const loop = await loadLoop();
    return {
      fold: (journal, onState) => this.#openFold(loop, journal, { state: undefined, onState }),
      callRecords: (state, journal) => loop.callRecords(state, journal, this.#mostCalls),
      isHandedOver: (path) => isHandedOver(this.#handing, path),
    };
  }

  /** The run has its ending, whatever its journal holds: one that makes no sense to these options leaves the rest empty. */
  async #foldOrBegin(loop: Loop, { journal }: Pick<RunResult<Ending, unknown>, 'journal'>): Promise<AgentState> {
    try {
      return this.#fold(loop, await journal());
    } catch {
      return this.#fold(loop, []);
    }
  }

  async #watch(watch: Watch, run: () => Promise<RunResult<Ending, unknown>>): Promise<AgentResult<Ending>> {
    const { runId, onDelta, context } = watch;
    const live = announcedRun(runId, { context });
    const stop = onDelta === undefined ? undefined : listenToDeltas(runId, onDelta);
    try {
      const result = await this.#live.during(runId, live, run);
      const loop = await loadLoop();
      const state = live.state ?? (await this.#foldOrBegin(loop, result));
      const journal = loop.needsJournal(state) ? await result.journal() : [];
      return this.#toResult(result, { loop, state, journal }, watch);
    } finally {
      stop?.();
      announceChange(runId);
    }
  }

  /** How many calls of an answer are made at the same time. */
  get #mostCalls(): number {
    const { goal, options } = this.#prepared;
    return goal?.check === 'tool_call' ? 1 : (options.toolConcurrency ?? Number.POSITIVE_INFINITY);
  }

  #toResult(
    result: RunResult<Ending, unknown>,
    { loop, state, journal }: Found,
    { engine, conditions, context }: Watch,
  ): AgentResult<Ending> {
    // How an agent that took over may end is declared there.
    if (!state.takenOver) refuseUndeclared(result, [...this.kinds, ...conditions.flatMap(({ kinds }) => kinds)]);
    return {
      ...result,
      text: state.text,
      messages: itemsOf(state.messages),
      iterations: loop.iterationRecords(state),
      ...loop.callRecords(state, journal, this.#mostCalls),
      resume: (options = {}) =>
        this.resume(result.runId, { ...(context !== undefined && { context }), ...options, engine }) as never,
    };
  }
}

function inTurn(first: () => void, second: (() => void) | undefined): () => void {
  return () => {
    first();
    second?.();
  };
}
